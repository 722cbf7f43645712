import type { Kysely, Transaction } from 'kysely';
import pg from 'pg';
import { answersOf, type LastStatements } from './last-statements.js';
import type { Tables } from './tables.js';

/** A database that can send hints. Without a hinter, they are dropped. */
export type HintingDb = Kysely<Tables> & { readonly hinter?: Hinter };
/** A transaction that collects hints until its commit. */
export type HintingTx = Transaction<Tables> & { readonly hints?: Hint[] };

/** How long the connection stays open without hints, in ms. */
const idleMs = 60_000;
const connectWithinMs = 5_000;

/** How long hints that are not urgent are collected, in ms. */
const gatherMs = 20;

/** Tells listeners that rows have changed. */
export interface Hint {
  readonly channel: string;
  readonly payload: string;
  /** Sent at once, because somebody waits for it. Waiting hints are sent with it. */
  readonly isUrgent: boolean;
}

/** Sends hints in batches, on a connection of its own. */
export interface Hinter {
  send(hints: readonly Hint[]): void;
  close(): Promise<void>;
}

/**
 * Tells listeners that rows have changed, after the commit, so that they look at once instead of at their next poll.
 * A hint may be lost, for example if the process dies after its commit. None is sent after a rollback. It is not part
 * of the transaction, because NOTIFY in a transaction holds a cluster-wide lock until the commit is on disk.
 */
export function hint(db: HintingDb | HintingTx, channel: string, payload: string, isUrgent = false): void {
  const one = { channel, payload, isUrgent };
  if ('hints' in db) db.hints.push(one);
  else if ('hinter' in db) db.hinter.send([one]);
}

/** Runs `work` in a transaction, and sends its hints after the commit. */
export async function withHints<T>(
  db: HintingDb,
  work: (tx: HintingTx) => Promise<T | LastStatements<T>>,
): Promise<T> {
  const hints: Hint[] = [];
  const committed = await db.transaction().execute((tx) => {
    return work(Object.assign(tx, { hints }));
  });
  const ended = await answersOf(committed);
  if (hints.length > 0) db.hinter?.send(hints);
  return ended;
}

/** `onLost`: called when the connection breaks. The next hint opens another. */
export function createHinter(url: string, onLost: (error: Error) => void): Hinter {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: 1, keepAlive: true },
    ...{ idleTimeoutMillis: idleMs, connectionTimeoutMillis: connectWithinMs },
  });
  pool.on('error', onLost);
  let queued = new Map<string, Hint>();
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const sendAll = async (): Promise<void> => {
    while (queued.size > 0) {
      const batch = [...queued.values()];
      queued = new Map();
      // Hints are not stored, so the commit need not wait for the disk.
      await pool.query({
        name: 'hints',
        text: `select pg_notify(channel, payload)
        from set_config('synchronous_commit', 'off', true), unnest($1::text[], $2::text[]) as hint (channel, payload)`,
        values: [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)],
      });
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll()
      // Listeners also poll the rows.
      .catch(() => undefined)
      .finally(() => {
        sending = undefined;
        // Hints that arrived while the last batch was under way.
        if (queued.size > 0) start();
      });
  };
  return {
    send(hints) {
      for (const one of hints) queued.set(`${one.channel} ${one.payload}`, one);
      if (hints.some(({ isUrgent }) => isUrgent)) start();
      else timer ??= setTimeout(start, gatherMs);
    },
    async close() {
      start();
      await sending;
      await pool.end();
    },
  };
}
