import pg from 'pg';
import { socketOptions } from '../schema/db/wait-limits.js';

/** How long a lost connection is left alone before the next try, in ms. */
const reconnectMs = 500;

/** What is listened to, on one connection of its own. */
export interface Listened {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  /** What a new connection begins with, beside listening. Where it rejects, another connection is tried. */
  readonly onConnected?: (client: pg.Client) => Promise<void>;
  readonly onLost?: () => void;
}

/** Something that listens until it is closed. */
export interface Listening {
  /** Resolves when it listens for the first time, or when the first try has failed. */
  readonly begun: Promise<void>;
  close(): Promise<void>;
}

/** Listens to a channel of the database, and connects again when the connection is lost. */
export function listen({ databaseUrl, channel, onPayload, onConnected, onLost }: Listened): Listening {
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ connectionString: databaseUrl, ...socketOptions() });
    client = fresh;
    fresh.on('notification', ({ payload = '' }) => {
      onPayload(payload);
    });
    const lost = (): void => {
      if (client === fresh) reconnect();
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
      await onConnected?.(fresh);
    } catch (error) {
      // It would listen on beside the next one. Not waited for: a connection that broke may never say that it ended.
      client = undefined;
      fresh.end().catch(() => undefined);
      throw error;
    }
  };
  const reconnect = (): void => {
    onLost?.();
    if (closed || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      connect().catch(reconnect);
    }, reconnectMs);
    timer.unref();
  };

  return {
    begun: connect().catch(reconnect),
    async close() {
      closed = true;
      clearTimeout(timer);
      // A connection that never came up, or broke, has nothing to end.
      await client?.end().catch(() => undefined);
    },
  };
}
