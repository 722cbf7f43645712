import { ActivityFailure, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../activities/index.js';
import { firstRetryMs, keepAliveTimeout } from './protocol.js';

// Quick activities only change a few rows. As local activities they save the round trips through the server, which
// take up most of a turn. After three quick tries, the same function runs as an ordinary activity, which can wait out
// an outage.
const quickOptions = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '50ms', maximumAttempts: 3 },
} as const;
const steadyOptions = {
  startToCloseTimeout: '30s',
  retry: { initialInterval: '250ms', maximumInterval: '10s' },
} as const;
const quick = proxyLocalActivities<Activities>(quickOptions);
const steady = proxyActivities<Activities>(steadyOptions);

type Input<Name extends keyof Activities> = Parameters<Activities[Name]>[0];
type Output<Name extends keyof Activities> = Awaited<ReturnType<Activities[Name]>>;

/**
 * Calls one activity of a proxy with its own options. The cast only helps the compiler, which does not see that the
 * name selects the same function's input and output on both sides.
 */
function callOf<Name extends keyof Activities>(
  proxy: typeof quick | typeof steady,
  name: Name,
): (options: object, input: Input<Name>) => Promise<Output<Name>> {
  const call = proxy[name] as unknown as {
    executeWithOptions(options: object, args: unknown[]): Promise<Output<Name>>;
  };
  return (options, input) => call.executeWithOptions(options, [input]);
}

type Quick =
  | 'claimTurn'
  | 'runTool'
  | 'editBlock'
  | 'decideStep'
  | 'settleTurn'
  | 'tellAskers'
  | 'carryOutDecisions'
  | 'doChore'
  | 'openRefinement'
  | 'closeRefinement'
  | 'cancelRefinement'
  | 'sendScheduled'
  | 'cancelTurn'
  | 'advanceTalks';

/**
 * Runs a short piece of database work. `summary` is its text in the Temporal UI: names and numbers only. With
 * `withinMs` it fails after failing for that long; else it waits for the database as long as it takes.
 */
export async function quickly<Name extends Quick>(
  name: Name,
  input: Input<Name>,
  { summary, withinMs }: { readonly summary: string; readonly withinMs?: number },
): Promise<Output<Name>> {
  try {
    return await callOf(quick, name)({ ...quickOptions, summary }, input);
  } catch (error) {
    if (isCancellation(error) || isFinal(error)) throw error;
    const limit = withinMs === undefined ? {} : { scheduleToCloseTimeout: withinMs };
    return callOf(steady, name)({ ...steadyOptions, ...limit, summary }, input);
  }
}

function isFinal(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof ApplicationFailure &&
    error.cause.nonRetryable === true
  );
}

type Long = 'callModel' | 'summarize' | 'runTool' | 'askAgents';

/**
 * Runs work that waits for the world: a model, an embedder, a tool. Temporal retries it until `withinMs` have passed
 * since it was scheduled.
 */
export async function patiently<Name extends Long>(
  name: Name,
  input: Input<Name>,
  options: { readonly summary: string; readonly withinMs: number },
): Promise<Output<Name>> {
  const { summary, withinMs } = options;
  return callOf(steady, name)(
    {
      scheduleToCloseTimeout: withinMs,
      startToCloseTimeout: withinMs,
      heartbeatTimeout: keepAliveTimeout,
      retry: { initialInterval: firstRetryMs, backoffCoefficient: 2, maximumInterval: '30s' },
      summary,
    },
    input,
  );
}
