import pg from 'pg';
import { socketOptions } from '../schema/db/wait-limits.js';

/** The pause before a lost connection is opened again, in ms. */
const reconnectMs = 500;

/** A channel to listen to, on a connection of its own. */
export interface Listened {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  /** Runs on each new connection after it listens. If it rejects, another connection is tried. */
  readonly onConnected?: (client: pg.Client) => Promise<void>;
  readonly onLost?: () => void;
}

/** Something that listens until it is closed. */
export interface Listening {
  /** Resolves when it listens for the first time, or when the first attempt has failed. */
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
      // Closed, so that it does not listen together with the next one. Not awaited: a broken connection may never report its end.
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
