import { EventEmitter } from 'node:events';
import { listen } from './listening.js';

/** Hints that rows have changed. Hints may get lost, so waiting code also looks at the rows from time to time. */
export interface Hints {
  /** Resolves at the next hint of this name, after `withinMs`, or when aborted. */
  next(name: string, options: { withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** Listens to a channel. `namesOf`: the names that a payload is a hint for. */
export function createHints(
  databaseUrl: string,
  channel: string,
  namesOf: (payload: string) => readonly string[],
): Hints {
  const hints = new EventEmitter();
  hints.setMaxListeners(0);
  const listening = listen({
    databaseUrl,
    channel,
    onPayload(payload) {
      for (const name of namesOf(payload)) hints.emit(name);
    },
  });

  return {
    next(name, { withinMs, signal }) {
      return new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(limit);
          hints.off(name, finish);
          signal?.removeEventListener('abort', finish);
          resolve();
        };
        const limit = setTimeout(finish, withinMs);
        hints.on(name, finish);
        signal?.addEventListener('abort', finish);
        if (signal?.aborted === true) finish();
      });
    },
    close: () => listening.close(),
  };
}
