import { EventEmitter } from 'node:events';
import pg from 'pg';

/** How long a lost connection is left alone before the next try, in ms. */
const reconnectMs = 500;

/** Hints that rows have changed. A hint may be missed: who waits looks at the rows from time to time too. */
export interface Hints {
  /** Resolves at the next hint of this name, after `withinMs`, or when aborted. */
  next(name: string, options: { withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to a channel on one connection of its own, and connects again when it is lost. `namesOf`: what a payload is
 * a hint of.
 */
export function createHints(
  databaseUrl: string,
  channel: string,
  namesOf: (payload: string) => readonly string[],
): Hints {
  const hints = new EventEmitter();
  hints.setMaxListeners(0);
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    client = fresh;
    fresh.on('notification', ({ payload = '' }) => {
      for (const name of namesOf(payload)) hints.emit(name);
    });
    fresh.on('error', reconnect);
    fresh.on('end', reconnect);
    await fresh.connect();
    await fresh.query(`listen ${channel}`);
  };
  const reconnect = (): void => {
    if (closed || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      connect().catch(reconnect);
    }, reconnectMs);
    timer.unref();
  };
  connect().catch(reconnect);

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
    async close() {
      closed = true;
      clearTimeout(timer);
      client?.removeListener('end', reconnect);
      // A connection that never came up, or broke, has nothing to end.
      await client?.end().catch(() => undefined);
    },
  };
}
