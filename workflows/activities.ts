import { ActivityFailure, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../activities/index.js';
import { firstRetryMs } from './protocol.js';

/** A worker that is killed shows by its missing keep-alive within this time. */
const keepAliveTimeout = '2500ms';

// The quick ones are a few rows: as local activities they spare the round trips through the server that a turn
// is made of. Three quick tries, then the same function as an ordinary activity, which may wait out an outage.
const quick = proxyLocalActivities<Activities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '50ms', maximumAttempts: 3 },
});
const steady = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '250ms', maximumInterval: '10s' },
});

type Quick = 'claimTurn' | 'runTool' | 'settleTurn';

/** Runs a short piece of database work. `summary` is how it reads in the Temporal UI: names and numbers only. */
export async function quickly<Name extends Quick>(
  name: Name,
  input: Parameters<Activities[Name]>[0],
  summary: string,
): Promise<Awaited<ReturnType<Activities[Name]>>> {
  type Call = { executeWithOptions(options: object, args: unknown[]): Promise<never> };
  try {
    return await (quick[name] as unknown as Call).executeWithOptions(
      { startToCloseTimeout: '10s', retry: { initialInterval: '50ms', maximumAttempts: 3 }, summary },
      [input],
    );
  } catch (error) {
    if (isCancellation(error) || isFinal(error)) throw error;
    return (steady[name] as unknown as Call).executeWithOptions(
      {
        startToCloseTimeout: '30s',
        retry: { initialInterval: '250ms', maximumInterval: '10s' },
        summary,
      },
      [input],
    );
  }
}

function isFinal(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof ApplicationFailure &&
    error.cause.nonRetryable === true
  );
}

type Long = 'callModel' | 'evict' | 'runTool';

/**
 * Runs what waits for the world: a model, an embedder, a tool. Temporal retries it until `withinMs` have gone since
 * it was scheduled.
 */
export async function patiently<Name extends Long>(
  name: Name,
  input: Parameters<Activities[Name]>[0],
  options: { readonly summary: string; readonly withinMs: number },
): Promise<Awaited<ReturnType<Activities[Name]>>> {
  type Call = { executeWithOptions(options: object, args: unknown[]): Promise<never> };
  return (steady[name] as unknown as Call).executeWithOptions(
    {
      scheduleToCloseTimeout: options.withinMs,
      startToCloseTimeout: options.withinMs,
      heartbeatTimeout: keepAliveTimeout,
      retry: { initialInterval: firstRetryMs, backoffCoefficient: 2, maximumInterval: '30s' },
      summary: options.summary,
    },
    [input],
  );
}
