import { Context } from '@temporalio/activity';

/** Far below the keep-alive time-out, because a cancellation reaches an activity only with its next keep-alive. */
const intervalMs = 700;

/**
 * Runs `work` with the signal that cancels it, and sends Temporal keep-alives (heartbeats, in Temporal's words)
 * meanwhile.
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

/**
 * How long ago this activity was scheduled, in ms: what waiting and earlier attempts have used of its time. `beganAt`: when
 * this attempt began, by `performance.now()`. Temporal's times are only compared with each other, because this machine's
 * clock may be minutes off.
 */
export function timeUsedMs(beganAt: number): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs + performance.now() - beganAt;
}

/** How long this activity may still be tried, in ms. `beganAt`: as for `timeUsedMs`. */
export function timeLeftMs(beganAt: number): number {
  const { scheduleToCloseTimeoutMs: withinMs } = Context.current().info;
  return withinMs > 0 ? withinMs - timeUsedMs(beganAt) : Infinity;
}

/** The execution that this activity works for. Fences need it. */
export function currentExecution(): string {
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined) throw new Error('A turn activity runs only within a workflow.');
  return execution.runId;
}
