import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import type { ToolInput } from '../activities/tools/run-tool.js';
import type { CallVerdict } from '../activities/turns/step-verdict.js';
import type { Claim } from '../activities/turns/claim-and-settle.js';
import { type CallOutcome, toCallOutcome } from '../core/turns/turn.js';
import { patiently, quickly } from './activities.js';
import type { Progress } from './progress.js';
import { isFenced } from './settlement.js';

/** A turn that this execution has claimed. */
export interface RunningTurn {
  readonly threadId: string;
  readonly claim: Claim;
  readonly progress: Progress;
  /** Effects whose agents have answered. */
  readonly answered: ReadonlySet<string>;
}

type Status = 'success' | 'error';

/**
 * Runs a step's tool calls, one after another, in the order of the model's answer. Calls with a stored result don't
 * run again. Calls that wait for an approval are skipped.
 */
export async function runCalls(
  { threadId, claim, progress, answered }: RunningTurn,
  where: string,
  calls: readonly CallVerdict[],
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const call of calls.filter(({ awaits }) => awaits !== true)) {
    progress.doing(call.name);
    const input = { threadId, turnId: claim.turnId, agentId: claim.agentId, effectId: call.effectId };
    const withinMs = call.withinMs ?? claim.toolTimeoutMs;
    const status =
      storedStatus(call) ??
      (await runCall(call, { input, summary: `${where} · ${call.name}`, withinMs, answered }));
    outcomes.push(toCallOutcome(call, status));
  }
  return outcomes;
}

function storedStatus({ refused, ran }: CallVerdict): Status | undefined {
  return refused === undefined ? ran : 'error';
}

interface Run {
  readonly input: ToolInput;
  readonly summary: string;
  readonly withinMs: number;
  readonly answered: ReadonlySet<string>;
}

async function runCall(call: CallVerdict, run: Run): Promise<Status> {
  try {
    return await tryCall(call, run);
  } catch (error) {
    if (isCancellation(error) || isFenced(error) || !(error instanceof ActivityFailure)) throw error;
    // It failed for its whole time. The model is told and decides what to do.
    const gaveUp = { summary: `${run.summary} · gave up` };
    return (await quickly('runTool', { ...run.input, gaveUp: true }, gaveUp)).status;
  }
}

async function tryCall({ runs }: CallVerdict, { answered, input, ...options }: Run): Promise<Status> {
  switch (runs) {
    case 'editing':
      return (await quickly('editBlock', input, options)).status;
    case 'quickly':
      return (await quickly('runTool', input, options)).status;
    case 'patiently':
      return (await patiently('runTool', input, options)).status;
    case 'asking': {
      // Other agents answer by turns of their own. Their signal ends the wait; the rows have their answers.
      const asking = { ...options, summary: `${options.summary} · ask` };
      const { waitMs } = await patiently('askAgents', input, asking);
      if (waitMs > 0) await condition(() => answered.has(input.effectId), waitMs);
      return (await quickly('runTool', input, options)).status;
    }
  }
}
