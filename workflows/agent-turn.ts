import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { StepsVerdict } from '../activities/step-verdict.js';
import type { Claim } from '../activities/turns.js';
import { begin, quickly } from './activities.js';
import { type LoopEnd, runLoop } from './heartbeat-loop.js';
import { createProgress, type Progress } from './progress.js';
import {
  type AgentTurnInput,
  cancelTurnSignal,
  replySignal,
  ringSignal,
  turnProgressQuery,
} from './protocol.js';
import { isFenced, modelTimedOut, type Settlement, toSettlement } from './settlement.js';

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
export async function agentTurn({ threadId, turnId }: AgentTurnInput): Promise<void> {
  const bell = { rings: 0 };
  const progress = createProgress();
  const current: { turnId: string | null; scope: CancellationScope | null } = { turnId: null, scope: null };
  setHandler(ringSignal, () => {
    bell.rings += 1;
  });
  setHandler(cancelTurnSignal, (cancelled) => {
    if (current.turnId === cancelled.turnId) current.scope?.cancel();
  });
  const answered = new Set<string>();
  setHandler(replySignal, ({ effectId }) => {
    answered.add(effectId);
  });
  setHandler(turnProgressQuery, () => progress.now());

  const expect = (expected: string): CancellationScope => {
    const scope = new CancellationScope();
    Object.assign(current, { turnId: expected, scope });
    progress.begin(expected);
    return scope;
  };
  for (let ordinal = 0; ; ordinal += 1) {
    const begun =
      ordinal === 0 && turnId !== undefined
        ? await beginWith({ threadId, turnId, bell, scope: expect(turnId) })
        : await take(threadId, ordinal, bell);
    if (begun === null) return;
    const { claim, heard } = begun;
    // The bell has written down the turn that it rang for; whichever is run is what the Temporal UI is to say.
    if (workflowInfo().memo?.['run'] !== claim.turnId)
      upsertMemo({ agent: claim.agentId, run: claim.turnId });
    const scope = begun.scope ?? expect(claim.turnId);
    const { more, kind } = await runTurn({ ...begun, threadId, scope, progress, answered });
    const cancelled = CancellationScope.current().consideredCancelled;
    if (!more && bell.rings === heard) return;
    // With the last step, a turn may end before its execution does, so that whoever answers at once rings this one.
    const isNext = more || kind === 'closed';
    if (cancelled || (isNext && age() >= executionFloorMs))
      await continueAsNew<typeof agentTurn>({ threadId });
  }
}

interface Bell {
  readonly rings: number;
}

/** A delivery that was taken, and what its turn has come to where its first steps were taken with it. */
interface Begun {
  readonly claim: Claim;
  /** How often the bell had rung before. */
  readonly heard: number;
  /** Set where the turn has begun in it. */
  readonly scope?: CancellationScope;
  readonly first?: StepsVerdict;
  readonly end?: LoopEnd;
}

interface Beginning {
  readonly threadId: string;
  readonly turnId: string;
  readonly bell: Bell;
  readonly scope: CancellationScope;
}

/** Takes the first delivery, with the first steps of the turn that is expected. Null where nothing waits. */
async function beginWith({ threadId, turnId, bell, scope }: Beginning): Promise<Begun | null> {
  // This execution was started by a ring, which is the first.
  const heard = 1;
  const begun = await scope.run(() => begin({ threadId, turnId })).catch(toEnd);
  if ('claim' in begun) {
    const { claim, steps, overdue } = begun;
    if (claim === null) return bell.rings === heard ? null : take(threadId, 0, bell);
    if (overdue === true) return { claim, heard, scope, end: { kind: 'open', ...modelTimedOut } };
    return steps === undefined ? { claim, heard } : { claim, heard, scope, first: steps };
  }
  // Whether it was taken is not known here: asked again with the same ordinal, the database says so.
  const taken = await CancellationScope.nonCancellable(() => take(threadId, 0, { rings: heard }));
  if (taken === null) return bell.rings === heard ? null : take(threadId, 0, bell);
  return taken.claim.turnId === turnId
    ? { claim: taken.claim, heard, scope, end: begun }
    : { ...taken, heard };
}

async function take(threadId: string, ordinal: number, bell: Bell): Promise<Begun | null> {
  const claim = await nextClaim(threadId, ordinal, bell);
  return claim === null ? null : { claim, heard: bell.rings };
}

async function nextClaim(threadId: string, ordinal: number, bell: Bell): Promise<Claim | null> {
  for (;;) {
    const heard = bell.rings;
    const claim = await quickly('claimTurn', { threadId, ordinal }, { summary: 'take the next delivery' });
    if (claim !== null) return claim;
    if (bell.rings === heard) return null;
  }
}

interface RunningTurn extends Pick<Begun, 'claim' | 'first' | 'end'> {
  readonly threadId: string;
  readonly scope: CancellationScope;
  readonly progress: Progress;
  readonly answered: ReadonlySet<string>;
}

/** A turn that has ended, and whether the thread has more to do. */
interface EndedTurn {
  /** Whether its last step closed it, or this workflow did. */
  readonly kind: 'closed' | 'settled';
  readonly more: boolean;
}

/** Runs the turn and writes down its end, unless its last step has. */
async function runTurn(turn: RunningTurn): Promise<EndedTurn> {
  const { claim, scope } = turn;
  const end = turn.end ?? (await scope.run(() => runLoop(turn)).catch(toEnd));
  return CancellationScope.nonCancellable(async () => {
    const ended = end.kind === 'closed' ? end : await settle(turn, end);
    if (claim.asked === true)
      await quickly('tellAskers', { turnId: claim.turnId }, { summary: 'tell who asked' });
    return ended;
  });
}

async function settle(
  { threadId, claim, progress }: RunningTurn,
  { stopReason, failure }: Settlement,
): Promise<EndedTurn> {
  progress.doing('closing');
  const { more } = await quickly(
    'settleTurn',
    { threadId, turnId: claim.turnId, stopReason, ...(failure === undefined ? {} : { failure }) },
    { summary: `close · ${stopReason}` },
  );
  return { kind: 'settled', more };
}

function toEnd(error: unknown): LoopEnd {
  if (isCancellation(error)) return { kind: 'open', stopReason: 'cancelled' };
  // Somebody else ended the turn, or works on it: closing it is then a write that the fence turns away.
  if (isFenced(error)) return { kind: 'open', stopReason: 'cancelled' };
  return { kind: 'open', ...toSettlement(error) };
}

function age(): number {
  return Date.now() - workflowInfo().runStartTime.getTime();
}
