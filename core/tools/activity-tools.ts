/** An activity of a worker of a user's own, as a tool calls it. Times are in ms. */
export interface ActivityTarget {
  readonly taskQueue: string;
  /** The activity's name as its worker registers it. */
  readonly name: string;
  /** How long a worker may take to take it up. */
  readonly scheduleToStartMs: number;
  /** How long one try may run. */
  readonly startToCloseMs: number;
  /** How long its worker may be silent while it runs; null where it need not say that it is alive. */
  readonly keepAliveMs: number | null;
  /** How often it is tried at most. */
  readonly attempts: number;
}

/** How a call of an activity ended. */
export type ActivityEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** It threw, in its last try. */
  | { readonly kind: 'failed'; readonly type: string; readonly message: string }
  /** Nobody took it up in time. */
  | { readonly kind: 'no_worker' }
  /** A try did not end in time, or its worker fell silent. */
  | { readonly kind: 'timed_out' }
  /** Somebody ended the call in Temporal. */
  | { readonly kind: 'stopped' };

/** What a call's arguments may have as JSON, in bytes: they are written to a history. */
export const longestArguments = 256 * 1024;

/** A call may take a day, tries and pauses included. */
export const longestCallMs = 24 * 60 * 60 * 1000;

/** The longest pause between two tries, in ms. */
export const retryPauseMs = 10_000;

/** From the first schedule of a call to its end at the latest, in ms. */
export function callTimeMs({ scheduleToStartMs, startToCloseMs, attempts }: ActivityTarget): number {
  return attempts * (scheduleToStartMs + startToCloseMs) + (attempts - 1) * retryPauseMs;
}

/** Why an activity can't be called on this task queue; undefined where it can. A sentence for the tool's author. */
export function taskQueueFault(taskQueue: string): string | undefined {
  if (/^(\/_sys\/|__temporal_)/.test(taskQueue))
    return `The task queue '${taskQueue}' is one of Temporal's own. Name the one that your worker polls.`;
  if (/^[^\s\p{Cc}]{1,200}$/u.test(taskQueue)) return undefined;
  return 'A task queue’s name has 1 to 200 characters and no spaces. Name the one that your worker polls.';
}

/** The end of a call in the words that the model reads. */
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
        `no worker took it from the task queue '${target.taskQueue}' within ${seconds(target.scheduleToStartMs)} s, so it was not run. Somebody must start the worker of that queue.`,
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
