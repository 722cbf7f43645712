/** An abort signal that fires with the caller's signal or after a time. */
export interface Deadline {
  readonly controller: AbortController;
  /** Whether the time has run out. */
  isOver(): boolean;
  /** Releases the timer and the caller's signal. Must be called. */
  clear(): void;
}

// Not AbortSignal.any with AbortSignal.timeout: on Node 20 they leak a long-lived caller's signal.
/** Starts a deadline. */
export function createDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const abort = (): void => {
    controller.abort();
  };
  const timer = setTimeout(() => {
    over = true;
    abort();
  }, timeoutMs);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    controller,
    isOver: () => over,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}
