import type { Kysely, Transaction } from 'kysely';
import pg from 'pg';
import { answersOf, type LastStatements } from './last-statements.js';
import type { Tables } from './tables.js';

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

/** How long the connection for hints stays open where there are none, in ms. */
const idleMs = 60_000;
const connectWithinMs = 5_000;

/** For how long hints that nobody is in a hurry for are gathered, in ms. */
const gatherMs = 20;

/** That rows have changed, for whoever listens. */
interface Hint {
  readonly channel: string;
  readonly payload: string;
  /** Sent at once, as what somebody waits for; others travel with it. */
  readonly isUrgent: boolean;
}

/** Sends hints on a connection of its own, those that come together in one go. */
export interface Hinter {
  send(hints: readonly Hint[]): void;
  close(): Promise<void>;
}

/** The hints of transactions that have not committed yet, and how databases send theirs. */
const waiting = new WeakMap<Tx, Hint[]>();
const hinters = new WeakMap<Db, Hinter>();

/**
 * Says that rows have changed, once that is committed: those who listen look at them at once instead of some time later.
 * A hint may be lost, as where the process dies after its commit, and is never sent for what was rolled back. It takes no
 * part in the transaction, since one that notifies holds a lock of the whole cluster until it is on the disk.
 */
export function hint(db: Db | Tx, channel: string, payload: string, isUrgent = false): void {
  const one = { channel, payload, isUrgent };
  if (db.isTransaction) waiting.get(db as Tx)?.push(one);
  else hinters.get(db)?.send([one]);
}

/** Runs `work` in a transaction, and sends its hints when it has committed. */
export async function withHints<T>(db: Db, work: (tx: Tx) => Promise<T | LastStatements<T>>): Promise<T> {
  const hints: Hint[] = [];
  const committed = await db.transaction().execute((tx) => {
    waiting.set(tx, hints);
    return work(tx);
  });
  const ended = await answersOf(committed);
  if (hints.length > 0) hinters.get(db)?.send(hints);
  return ended;
}

/** Makes what is said by `hint` on this database be heard. */
export function sendHints(db: Db, hinter: Hinter): void {
  hinters.set(db, hinter);
}

/** `onLost`: told of a connection that broke; the next hint opens another. */
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
      // Nothing of it is kept: nobody waits for the disk.
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
      // Who waits looks at the rows from time to time.
      .catch(() => undefined)
      .finally(() => {
        sending = undefined;
        // What came when the last batch was on its way back.
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
