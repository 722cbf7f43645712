import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { agentTurn } from './agent-turn.js';
import { agentTurnType, ringSignal, workflowTaskTimeout } from './protocol.js';

/**
 * How long to wait before reading the rows again without a signal, in ms. Doubles each time. Short where the thread's
 * execution was open already: its end is not reported, and it may have nothing left but to close.
 */
const patienceMs = { started: 5_000, open: 250, longest: 30_000 } as const;

/** How often to start or signal an execution that closes in between. After that the sweep wakes the thread. */
const mostTries = 3;

/** What the rows say about the awaited work. `again`: the thread must be woken for more. */
export type Standing = 'over' | 'waiting' | 'again';

/**
 * Wakes a thread from within a workflow and waits until `ask` says that the awaited work is over. `ask` is called
 * when the started execution has ended, and otherwise ever more rarely. Returns `long` where it is not over but the
 * history has grown so long that the caller must continue as new.
 * 1. The thread's turns outlive the workflow that woke it. Cancelling that one cancels none of them, because the
 *    thread may be at another turn.
 * 2. A lost bell is rung again by the sweep, not here.
 */
export async function wakeUntilOver(
  threadId: string,
  ask: () => Promise<Standing>,
): Promise<'over' | 'long'> {
  let woken = await wake(threadId);
  let patience = firstPatience(woken);
  for (;;) {
    await condition(() => woken.hasEnded, patience);
    const standing = await ask();
    if (standing === 'over') return 'over';
    if (standing === 'waiting' && !woken.hasEnded) {
      if (workflowInfo().continueAsNewSuggested) return 'long';
      patience = Math.min(patience * 2, patienceMs.longest);
      continue;
    }
    woken = await wake(threadId);
    patience = firstPatience(woken);
  }
}

interface Woken {
  /** Whether the execution has ended, however it ended. Always false where another one was open. */
  hasEnded: boolean;
  /** Whether the execution was started here. */
  wasStarted: boolean;
}

function firstPatience({ wasStarted }: Woken): number {
  return wasStarted ? patienceMs.started : patienceMs.open;
}

/** Starts the thread's execution, as the client's bell does, or signals the open one. */
async function wake(threadId: string): Promise<Woken> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const started = await startIfClosed(threadId);
    if (started !== undefined) return started;
    // Without a signal, the execution has closed since the start was refused.
    if (await signal(threadId)) break;
  }
  return { hasEnded: false, wasStarted: false };
}

/** Undefined: an execution is open. */
async function startIfClosed(threadId: string): Promise<Woken | undefined> {
  try {
    const child = await CancellationScope.nonCancellable(() => start(threadId));
    const woken: Woken = { hasEnded: false, wasStarted: true };
    void child
      .result()
      .catch(() => undefined)
      .then(() => {
        woken.hasEnded = true;
      });
    return woken;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** Rings the bell of the open execution. False: the server refused, mostly because none is open. */
async function signal(threadId: string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(threadId).signal(ringSignal);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

function start(threadId: string): Promise<ChildWorkflowHandle<typeof agentTurn>> {
  return startChild(agentTurnType, {
    workflowId: threadId,
    args: [{ threadId }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    workflowTaskTimeout,
    staticSummary: `turns of ${threadId}`,
  });
}
