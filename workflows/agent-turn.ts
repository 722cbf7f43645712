import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Claim } from '../activities/turns/claim-and-settle.js';
import { quickly } from './activities.js';
import { type LoopEnd, runLoop } from './heartbeat-loop.js';
import { createProgress, type Progress } from './progress.js';
import {
  type AgentTurnInput,
  cancelTurnSignal,
  replySignal,
  ringSignal,
  turnProgressQuery,
} from './protocol.js';
import { isFenced, type Settlement, toSettlement } from './settlement.js';

/** The server lets an execution continue as new from this age on, in ms. */
const executionFloorMs = 1000;
/** How long an execution stays open for the answer to its turn, in ms. Temporal may take a second for so short a timer. */
const lingerMs = 100;

/**
 * Runs the turns of a thread, one after another: claim, heartbeat loop, settle. The workflow id is the thread's id,
 * so Temporal keeps one execution open per thread.
 * 1. The rows are the queue and the signal is a bell: the database says what is due, the signal never does.
 * 2. The execution ends only if the database says that nothing waits and no bell has rung since. A bell that arrives
 *    while it closes fails the workflow task, which is replayed with the bell in it.
 * 3. If more waits, the next turn gets an execution of its own, unless this one is too young for that. A turn that
 *    fills the history goes on in a new execution, which claims it again.
 * 4. Cancelling the execution cancels its turn. What waits goes on in a new execution.
 */
export async function agentTurn({ threadId, turnId }: AgentTurnInput): Promise<void> {
  const signals = receiveSignals();
  for (let ordinal = 0; ; ordinal += 1) {
    const heard = signals.rings;
    const summary = `claim · ${(ordinal === 0 ? turnId : undefined) ?? 'next'}`;
    const claim = await quickly('claimTurn', { threadId, ordinal }, { summary });
    if (claim === null) {
      if (signals.rings === heard) return;
      continue;
    }
    // The bell's memo names the turn that it rang for. The Temporal UI should show the one that runs.
    if (workflowInfo().memo?.['run'] !== claim.turnId)
      upsertMemo({ agent: claim.agentId, run: claim.turnId });
    const { more, isUnfinished } = await runTurn(threadId, claim, signals);
    if (isUnfinished) await continueAsNew<typeof agentTurn>({ threadId, turnId: claim.turnId });
    if (!more && !(await ringsAgain(signals, heard))) return;
    // Also after a bell without work: a client that answers at once must not make a history grow forever.
    if (CancellationScope.current().consideredCancelled || ageMs() >= executionFloorMs)
      await continueAsNew<typeof agentTurn>({ threadId });
  }
}

/**
 * Whether the bell has rung for another message. An execution that is still young waits for it for a moment: a program
 * that answers fast turns at once would else ring while the execution closes. The server refuses that close, and the
 * turn's last local activities run a second time. After an ordinary turn, which takes seconds, nothing waits. A
 * workflow that started this one waits for its end, so it ends at once.
 */
async function ringsAgain(signals: Signals, heard: number): Promise<boolean> {
  if (workflowInfo().parent !== undefined || ageMs() >= executionFloorMs) return signals.rings !== heard;
  return CancellationScope.nonCancellable(() => condition(() => signals.rings !== heard, lingerMs));
}

/** The signals to an execution, and its current turn. */
interface Signals {
  rings: number;
  readonly progress: Progress;
  /** Effects whose agents have answered. */
  readonly answered: Set<string>;
  /** The running turn, which a signal may cancel. */
  current: { readonly turnId: string; readonly scope: CancellationScope } | null;
}

function receiveSignals(): Signals {
  const signals: Signals = { rings: 0, progress: createProgress(), answered: new Set(), current: null };
  setHandler(ringSignal, () => {
    signals.rings += 1;
  });
  setHandler(cancelTurnSignal, ({ turnId }) => {
    if (signals.current?.turnId === turnId) signals.current.scope.cancel();
  });
  setHandler(replySignal, ({ effectId }) => {
    signals.answered.add(effectId);
  });
  setHandler(turnProgressQuery, () => signals.progress.now());
  return signals;
}

interface TurnEnd {
  /** Whether the thread has another delivery. */
  readonly more: boolean;
  /** Whether the turn goes on in another execution. */
  readonly isUnfinished: boolean;
}

/** Runs a claimed turn and ends it. */
async function runTurn(threadId: string, claim: Claim, signals: Signals): Promise<TurnEnd> {
  const { progress, answered } = signals;
  const scope = new CancellationScope();
  signals.current = { turnId: claim.turnId, scope };
  progress.begin(claim.turnId);
  const end = await scope.run(() => runLoop({ threadId, claim, progress, answered })).catch(toEnd);
  if (end.kind === 'unfinished') return { more: true, isUnfinished: true };
  return CancellationScope.nonCancellable(async () => {
    progress.doing('closing');
    const { more } = await settle(threadId, claim, end);
    if (claim.asked === true)
      await quickly('tellAskers', { turnId: claim.turnId }, { summary: 'tell who asked' });
    return { more, isUnfinished: false };
  });
}

function settle(threadId: string, claim: Claim, { stopReason, failure }: Settlement) {
  const settlement = { threadId, turnId: claim.turnId, stopReason };
  return quickly('settleTurn', failure === undefined ? settlement : { ...settlement, failure }, {
    summary: `close · ${stopReason}`,
  });
}

function toEnd(error: unknown): LoopEnd {
  // If the turn was fenced off, another execution has ended it or runs it, and the fence refuses this end too.
  if (isCancellation(error) || isFenced(error)) return { kind: 'ended', stopReason: 'cancelled' };
  return { kind: 'ended', ...toSettlement(error) };
}

function ageMs(): number {
  return Date.now() - workflowInfo().runStartTime.getTime();
}
