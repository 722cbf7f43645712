import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
} from '@temporalio/client';
import type { ActivityEnd, ActivityTarget } from '../core/tools/activity-tools.js';
import { activityToolType, workflowTaskTimeout } from '../workflows/protocol.js';
import { ignoreNotFound } from './executions.js';

/** Calls activities of users' own workers, each in a workflow with the effect's id. */
export interface ActivityCalls {
  /** Starts the effect's call, or joins the one that was started, and waits for its end. */
  call(call: ActivityCall): Promise<ActivityEnd>;
  /** Does nothing where the call has ended. */
  cancel(effectId: string): Promise<void>;
}

/** One call of an activity. */
export interface ActivityCall {
  readonly effectId: string;
  readonly target: ActivityTarget;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export function createActivityCalls(temporal: Client, taskQueue: string): ActivityCalls {
  return {
    async call({ signal, ...call }) {
      // What models write must not reach the activities that run turns.
      if (call.target.taskQueue === taskQueue) return ownQueue(taskQueue);
      return temporal.withAbortSignal(signal, async () => {
        await startCall(temporal, taskQueue, call);
        return endOf(temporal, call.effectId);
      });
    },
    async cancel(effectId) {
      await temporal.workflow.getHandle(effectId).cancel().catch(ignoreNotFound);
    },
  };
}

async function startCall(
  temporal: Client,
  taskQueue: string,
  { effectId, target, args }: Omit<ActivityCall, 'signal'>,
): Promise<void> {
  try {
    await temporal.workflow.start(activityToolType, {
      workflowId: effectId,
      taskQueue,
      args: [{ target, args }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowTaskTimeout,
      staticSummary: `${target.name} on ${target.taskQueue}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function endOf(temporal: Client, effectId: string): Promise<ActivityEnd> {
  try {
    return { kind: 'returned', value: await temporal.workflow.getHandle(effectId).result() };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return toEnd(error.cause instanceof ActivityFailure ? error.cause.cause : error.cause);
  }
}

function toEnd(cause: Error | undefined): ActivityEnd {
  if (cause instanceof ApplicationFailure)
    return { kind: 'failed', type: cause.type ?? 'Error', message: cause.message };
  if (!(cause instanceof TimeoutFailure)) return { kind: 'stopped' };
  return { kind: cause.timeoutType === 'SCHEDULE_TO_START' ? 'no_worker' : 'timed_out' };
}

function ownQueue(taskQueue: string): ActivityEnd {
  const message = `'${taskQueue}' is the task queue of perdure's own workers. The tool must name another one.`;
  return { kind: 'failed', type: 'TaskQueueError', message };
}
