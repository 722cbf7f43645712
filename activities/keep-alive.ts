import { Context } from '@temporalio/activity';

/** Well below the keep-alive time-out of `workflows/activities.ts`, because a busy worker is late. */
const intervalMs = 700;

/**
 * Runs `work` while telling Temporal that this activity is alive (Temporal calls that a heartbeat), and hands it
 * the signal that cancels it. Cancellation reaches an activity only this way.
 */
export async function keepingAlive<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  begun.set(context, performance.now());
  const timer = setInterval(() => {
    context.heartbeat();
  }, intervalMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** What an activity that may outlive its place in Temporal is told. */
export interface Signals {
  /** Somebody wants it to stop. */
  readonly signal: AbortSignal;
  /** Temporal has given it up and won't tell it anything any more: rows alone say whether it is of use. */
  readonly forgotten: AbortSignal;
}

/**
 * As `keepingAlive`, for work whose result is of use to another attempt. Temporal takes an activity that it did not
 * hear for a while for dead, be it for a starved machine or a lost connection; that alone does not stop it here.
 */
export async function keepingOn<T>(work: (signals: Signals) => Promise<T>): Promise<T> {
  const context = Context.current();
  const stopped = new AbortController();
  const forgotten = new AbortController();
  return keepingAlive((signal) => {
    const tell = (): void => {
      const { notFound, timedOut } = context.cancellationDetails ?? {};
      const isForgotten = notFound === true || timedOut === true;
      (isForgotten ? forgotten : stopped).abort(signal.reason);
    };
    signal.addEventListener('abort', tell, { once: true });
    if (signal.aborted) tell();
    return work({ signal: stopped.signal, forgotten: forgotten.signal });
  });
}

/** When attempts began here, by a clock that nobody sets. */
const begun = new WeakMap<Context, number>();

/**
 * How long ago this activity was scheduled, in ms: what waiting and earlier attempts have used of its time. Temporal's
 * times are compared with each other alone: this machine's clock may be minutes off.
 */
export function timeUsedMs(): number {
  const context = Context.current();
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = context.info;
  const beganAt = begun.get(context) ?? performance.now();
  begun.set(context, beganAt);
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs + performance.now() - beganAt;
}

/** How long this activity may still be tried, in ms. */
export function timeLeftMs(): number {
  const { scheduleToCloseTimeoutMs: withinMs } = Context.current().info;
  return withinMs > 0 ? withinMs - timeUsedMs() : Infinity;
}

/** The execution that this activity works for: the other half of every fence. */
export function currentExecution(): string {
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined) throw new Error('A turn activity runs only within a workflow.');
  return execution.runId;
}
