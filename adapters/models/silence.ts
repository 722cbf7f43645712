/** How long a model may be silent, in ms. */
export interface SilenceLimits {
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** From one byte to the next. */
  readonly betweenMs: number;
}

/** A model that thinks before it speaks sends nothing for minutes; one that has begun sends at least signs of life. */
export const defaultSilence: SilenceLimits = { firstByteMs: 240_000, betweenMs: 60_000 };

/** Hears an answer's bytes, and aborts where none come for too long. */
export interface SilenceWatch {
  /** The response, whose body is heard on its way. */
  hear(response: Response): Response;
  /** For how long nothing had come, in ms, where that was too long. */
  readonly silentMs: number | undefined;
  /** Lets go of the timer. Must be called. */
  clear(): void;
}

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
