import {
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { agentTurn } from './agent-turn.js';
import { agentTurnType, ringSignal } from './protocol.js';

/** A killed worker's workflow task is given to another one after this time, as for turns that a client begins. */
const workflowTaskTimeout = '2s';

/**
 * Wakes a thread from within a workflow, as the client's bell does from without: starts its execution, or rings the one
 * that is open. Resolves when it was woken; the promise within, when an execution that was started has ended, whatever
 * its end. The thread's turns outlive the workflow that woke it.
 */
export async function wake(threadId: string): Promise<{ readonly ended: Promise<unknown> }> {
  try {
    const child: ChildWorkflowHandle<typeof agentTurn> = await startChild(agentTurnType, {
      workflowId: threadId,
      args: [{ threadId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout,
      staticSummary: `turns of ${threadId}`,
    });
    return { ended: child.result().catch(() => undefined) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  // It may have closed meanwhile: who waits looks again.
  await getExternalWorkflowHandle(threadId)
    .signal(ringSignal)
    .catch(() => undefined);
  return { ended: new Promise(() => undefined) };
}
