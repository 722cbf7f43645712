import { Context } from '@temporalio/activity';

/** Well below the keep-alive time-out of `workflows/activities.ts`, because a busy worker is late. */
const intervalMs = 700;

/**
 * Runs `work` while telling Temporal that this activity is alive (Temporal calls that a heartbeat), and hands it
 * the signal that cancels it. Cancellation reaches an activity only this way.
 */
export async function keepingAlive<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, intervalMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** How long ago this activity was scheduled, in ms: what waiting and earlier attempts have used of its time. */
export function timeUsedMs(): number {
  return Math.max(0, Date.now() - Context.current().info.scheduledTimestampMs);
}

/** The execution that this activity works for: the other half of every fence. */
export function currentExecution(): string {
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined) throw new Error('A turn activity runs only within a workflow.');
  return execution.runId;
}
