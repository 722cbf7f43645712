import { EventEmitter } from 'node:events';
import pg from 'pg';
import { endedMark, turnChannel } from '../schema/turn-events.js';

/** How long a lost connection is left alone before the next try, in ms. */
const reconnectMs = 500;

/** Hints that turns' logs have grown. A hint may be missed: who waits looks at the rows from time to time too. */
export interface TurnListener {
  /** Resolves at the next hint for the turn (`ended`: only that it has ended), after `withinMs`, or when aborted. */
  next(turnId: string, options: { ended: boolean; withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** Listens on one connection of its own, and connects again when it is lost. */
export function createTurnListener(databaseUrl: string): TurnListener {
  const hints = new EventEmitter();
  hints.setMaxListeners(0);
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    client = fresh;
    fresh.on('notification', ({ payload = '' }) => {
      const isEnd = payload.endsWith(endedMark);
      const turnId = isEnd ? payload.slice(0, -endedMark.length) : payload;
      hints.emit(turnId);
      if (isEnd) hints.emit(turnId + endedMark);
    });
    fresh.on('error', reconnect);
    fresh.on('end', reconnect);
    await fresh.connect();
    await fresh.query(`listen ${turnChannel}`);
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
    next(turnId, { ended, withinMs, signal }) {
      const name = ended ? turnId + endedMark : turnId;
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
