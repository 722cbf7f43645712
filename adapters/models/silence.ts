/** How long a model may be silent, in ms. */
export interface SilenceLimits {
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** From one byte to the next. */
  readonly betweenMs: number;
}

/** A reasoning model may send nothing for minutes. Once it has begun, it sends at least keep-alives. */
export const defaultSilence: SilenceLimits = { firstByteMs: 240_000, betweenMs: 60_000 };

/** Watches an answer's bytes and aborts where none arrive for too long. */
export interface SilenceWatch {
  /** The response, whose body is watched as it is read. */
  hear(response: Response): Response;
  /** How long nothing arrived, in ms, where that was too long. */
  readonly silentMs: number | undefined;
  /** Releases the timer. Must be called. */
  clear(): void;
}

/** Starts a watch. */
export function createSilenceWatch(limits: SilenceLimits, onSilent: () => void): SilenceWatch {
  let silentMs: number | undefined;
  const wait = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      silentMs = ms;
      onSilent();
    }, ms);
  let timer = wait(limits.firstByteMs);
  let hasBegun = false;
  const heard = (): void => {
    if (hasBegun) {
      timer.refresh();
      return;
    }
    hasBegun = true;
    clearTimeout(timer);
    timer = wait(limits.betweenMs);
  };
  return {
    hear(response) {
      if (response.body === null) return response;
      const listening = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          heard();
          controller.enqueue(bytes);
        },
      });
      return new Response(response.body.pipeThrough(listening), response);
    },
    get silentMs() {
      return silentMs;
    },
    clear: () => {
      clearTimeout(timer);
    },
  };
}
