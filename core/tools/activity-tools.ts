/** An activity of a user's own worker, as a tool calls it. Times are in ms. */
export interface ActivityTarget {
  readonly taskQueue: string;
  /** The activity's registered name. */
  readonly name: string;
  /** How long the call may wait for a worker. */
  readonly scheduleToStartMs: number;
  /** How long one attempt may run. */
  readonly startToCloseMs: number;
  /** How long the worker may be silent while the attempt runs; null: no limit. */
  readonly keepAliveMs: number | null;
  /** The most attempts. */
  readonly attempts: number;
}

/** How a call of an activity ended. */
export type ActivityEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** The last attempt threw. */
  | { readonly kind: 'failed'; readonly type: string; readonly message: string }
  /** No worker took it in time. */
  | { readonly kind: 'no_worker' }
  /** An attempt did not end in time, or its worker fell silent. */
  | { readonly kind: 'timed_out' }
  /** Somebody terminated the call in Temporal. */
  | { readonly kind: 'stopped' };

/** The limit of a call's arguments as JSON, in bytes: they are written to a workflow history. */
export const longestArguments = 256 * 1024;

/** The limit of a call, attempts and pauses included. */
export const longestCallMs = 24 * 60 * 60 * 1000;

/** The longest pause between two attempts, in ms. */
export const retryPauseMs = 10_000;

/** The most time from the first schedule of a call to its end, in ms. */
export function callTimeMs({ scheduleToStartMs, startToCloseMs, attempts }: ActivityTarget): number {
  return attempts * (scheduleToStartMs + startToCloseMs) + (attempts - 1) * retryPauseMs;
}

/**
 * Why an activity can't be called on this task queue, as a sentence for the tool's author; undefined where it can.
 */
export function taskQueueFault(taskQueue: string): string | undefined {
  if (/^(\/_sys\/|__temporal_)/.test(taskQueue))
    return `The task queue '${taskQueue}' is one of Temporal's own. Name the one that your worker polls.`;
  if (/^[^\s\p{Cc}]{1,200}$/u.test(taskQueue)) return undefined;
  return 'A task queue’s name has 1 to 200 characters and no spaces. Name the one that your worker polls.';
}

/** The end of a call as the model reads it. */
export function toActivityOutcome(
  tool: string,
  target: ActivityTarget,
  end: ActivityEnd,
): { readonly ok: boolean; readonly message: string } {
  const failed = (error: string) => ({
    ok: false,
    message: `Error executing function ${tool}: ${error}`,
  });
  switch (end.kind) {
    case 'returned':
      return { ok: true, message: toText(end.value) };
    case 'failed':
      return failed(`${end.type}: ${end.message}`);
    case 'no_worker':
      return failed(
        `no worker took it from the task queue '${target.taskQueue}' within ${seconds(target.scheduleToStartMs)} s, so it was not run. The worker of that queue must be started.`,
      );
    case 'timed_out':
      return failed(
        `TimeoutError: it did not end within ${seconds(target.startToCloseMs)} s, or its worker fell silent. Whether it took effect is unknown.`,
      );
    case 'stopped':
      return failed('it was stopped from outside. Whether it took effect is unknown.');
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
