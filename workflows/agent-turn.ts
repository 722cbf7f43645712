import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Claim } from '../activities/turns.js';
import { quickly } from './activities.js';
import { runLoop } from './heartbeat-loop.js';
import { createProgress, type Progress } from './progress.js';
import {
  type AgentTurnInput,
  cancelTurnSignal,
  replySignal,
  ringSignal,
  turnProgressQuery,
} from './protocol.js';
import { isFenced, type Settlement, toSettlement } from './settlement.js';

/** Continue-as-new waits until an execution is this old, in ms: the server's floor from start to start. */
const executionFloorMs = 1000;

/**
 * One turn of an agent's thread, under the thread's id: Temporal itself keeps one open at a time.
 *
 * 1. The rows are the queue, the signal is a bell: what there is to do is asked of the database, never of a signal.
 * 2. It ends only where the database said that nothing waits and no bell has rung since. A bell in the instant of
 *    closing fails the workflow task, which is replayed with the bell in it.
 * 3. Where more waits, the next turn gets an execution of its own, unless this one is too young for that.
 * 4. Cancelling the execution itself cancels its turn; what waits goes on in a new one.
 */
export async function agentTurn({ threadId }: AgentTurnInput): Promise<void> {
  const bell = { rings: 0 };
  const progress = createProgress();
  const current: { turnId: string | null; scope: CancellationScope | null } = { turnId: null, scope: null };
  setHandler(ringSignal, () => {
    bell.rings += 1;
  });
  setHandler(cancelTurnSignal, ({ turnId }) => {
    if (current.turnId === turnId) current.scope?.cancel();
  });
  const answered = new Set<string>();
  setHandler(replySignal, ({ effectId }) => {
    answered.add(effectId);
  });
  setHandler(turnProgressQuery, () => progress.now());

  for (let ordinal = 0; ; ordinal += 1) {
    const claim = await nextClaim(threadId, ordinal, bell);
    if (claim === null) return;
    upsertMemo({ agent: claim.agentId, run: claim.turnId });
    const scope = new CancellationScope();
    Object.assign(current, { turnId: claim.turnId, scope });
    progress.begin(claim.turnId);
    const heard = bell.rings;
    const more = await runTurn({ threadId, claim, scope, progress, answered });
    const cancelled = CancellationScope.current().consideredCancelled;
    if (!more && bell.rings === heard) return;
    if (cancelled || (more && age() >= executionFloorMs)) await continueAsNew<typeof agentTurn>({ threadId });
  }
}

async function nextClaim(threadId: string, ordinal: number, bell: { rings: number }): Promise<Claim | null> {
  for (;;) {
    const heard = bell.rings;
    const claim = await quickly('claimTurn', { threadId, ordinal }, 'take the next delivery');
    if (claim !== null) return claim;
    if (bell.rings === heard) return null;
  }
}

interface RunningTurn {
  readonly threadId: string;
  readonly claim: Claim;
  readonly scope: CancellationScope;
  readonly progress: Progress;
  readonly answered: ReadonlySet<string>;
}

/** Runs the turn and writes down its end. Returns whether the thread has more to do. */
async function runTurn(turn: RunningTurn): Promise<boolean> {
  const { threadId, claim, scope, progress, answered } = turn;
  const settlement = await scope.run(() => runLoop({ threadId, claim, progress, answered })).catch(toEnd);
  return CancellationScope.nonCancellable(async () => {
    progress.doing('closing');
    const { more } = await quickly(
      'settleTurn',
      { threadId, turnId: claim.turnId, ...settlement },
      `close · ${settlement.stopReason}`,
    );
    if (claim.asked === true) await quickly('tellAskers', { turnId: claim.turnId }, 'tell who asked');
    return more;
  });
}

function toEnd(error: unknown): Settlement {
  if (isCancellation(error)) return { stopReason: 'cancelled' };
  // Somebody else ended the turn, or works on it: closing it is then a write that the fence turns away.
  if (isFenced(error)) return { stopReason: 'cancelled' };
  return toSettlement(error);
}

function age(): number {
  return Date.now() - workflowInfo().runStartTime.getTime();
}
