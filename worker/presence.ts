import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from '../schema/db/database.js';
import { addWorker, removeWorker, type WorkerEntry, workerLocks } from '../schema/turns/workers.js';

/** Keys fit an integer column, and are not zero. */
const keys = 2 ** 31;
/** Pause before reconnecting, in ms. Others wait longer before they call it a death. */
const reconnectMs = 100;
const connectMs = 5_000;

/** This process, as the other workers see it. */
export interface Presence extends WorkerEntry {
  /** Leaves in order, so that it doesn't count as a death. */
  close(): Promise<void>;
}

export interface PresenceOptions {
  readonly db: Db;
  /** The URL of the database itself: a pooler in transaction mode has no sessions. */
  readonly databaseUrl: string;
}

/**
 * Registers this process as living once it resolves: it holds an advisory lock on its key, on a connection of its
 * own. The database frees the lock when the process ends. A lost connection is replaced, with the same key. Rejects
 * where the database can't be reached.
 */
export async function openPresence({ db, databaseUrl }: PresenceOptions): Promise<Presence> {
  const key = randomInt(1, keys);
  const worker = { key, identity: `perdure-${key}@${hostname()}` };
  const closing = new AbortController();
  const isClosing = (): boolean => closing.signal.aborted;
  let held = await holdLock(databaseUrl, key);

  const keepHolding = async (): Promise<void> => {
    for (;;) {
      await held.lost;
      if (isClosing()) return;
      await delay(reconnectMs);
      try {
        held = await holdLock(databaseUrl, key);
        // Closing ended the connection before this one.
        if (isClosing()) await held.end();
        // Others may have taken the loss for a death and removed the row.
        else await addWorker(db, worker);
      } catch {
        // The database is unavailable, so `held` is lost. The next round tries again.
      }
    }
  };
  await addWorker(db, worker);
  const holding = keepHolding();
  return {
    ...worker,
    async close() {
      closing.abort();
      await removeWorker(db, key);
      await held.end();
      await holding;
      // A reconnect that was under way may have added the row again.
      await removeWorker(db, key);
    },
  };
}

interface HeldLock {
  /** Resolves when the connection and its lock are lost. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

async function holdLock(databaseUrl: string, key: number): Promise<HeldLock> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
  });
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  // `end` follows each error. Without a listener, the error would end the process.
  client.on('error', () => undefined);
  const end = (): Promise<void> => client.end().catch(() => undefined);
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1, $2)', [workerLocks, key]);
    return { lost, end };
  } catch (error) {
    // Not awaited: a broken connection may never report its end.
    void end();
    throw error;
  }
}
