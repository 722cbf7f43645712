import { Context } from '@temporalio/activity';

/** Far below the keep-alive time-out, because a cancellation reaches an activity with its next sign of life. */
const intervalMs = 700;

/**
 * Runs `work` while telling Temporal that this activity is alive (Temporal calls that a heartbeat), and hands it the
 * signal that cancels it.
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

/** The execution that this activity works for: the other half of every fence. */
export function currentExecution(): string {
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined) throw new Error('A turn activity runs only within a workflow.');
  return execution.runId;
}
