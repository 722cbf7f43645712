import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import pg from 'pg';
import { createHinter, sendHints, withHints } from './hints.js';
import { openPipelined } from './pipelining.js';
import type { Tables } from './tables.js';

/** The database, or a transaction on it: every query function takes one as its first argument. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const int8 = 20;

/** A database with the pool behind it. */
export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections at most. Default 10. */
  readonly connections?: number;
  /** Told when an idle connection breaks (the server stopped, a network fault); the pool replaces it by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool on `url`; connects when first used. bigint columns are read as numbers: they count rows and stay
 * far below 2^53.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    types: { getTypeParser: parserOf },
    pipeline: true,
  });
  // Without a listener, a stopped server (57P01) would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  // Nor does the pool hear a connection that is in use: between two statements nothing else would. Who has it is told by
  // the next one.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = openPipelined<Tables>(pool);
  const hinter = createHinter(url, (error) => options.onConnectionLost?.(error));
  sendHints(db, hinter);
  const close = async (): Promise<void> => {
    await hinter.close();
    await db.destroy();
  };
  return { db, pool, close };
}

const parserOf: typeof pg.types.getTypeParser = (oid: number, ...format: unknown[]): unknown =>
  oid === int8 ? Number : defaultParserOf(oid, ...format);

// The type of pg wants its own enum of type numbers, and overloads by format.
const defaultParserOf = pg.types.getTypeParser as (oid: number, ...format: unknown[]) => unknown;

/** SQLSTATEs of a transaction that the database undid for the sake of others: a deadlock, a failed serialization. */
const undone = new Set(['40P01', '40001']);
/** Times that a transaction is begun again: who loses against several others in turn is told so. */
const mostRepeats = 2;
/**
 * Before it is begun again, in ms. A row's lock goes to whoever asks first, not to whoever waits for it: without a pause
 * the one that was undone takes the row from the other, and both are in the same circle again.
 */
const pauseMs = 50;

/**
 * Runs `work` in a transaction, or in the one it is already in. Where the database undid it for the sake of others, it
 * is begun again, a few times: `work` changes nothing but rows.
 */
export async function inTransaction<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Tx);
  return repeating(() => withHints(db, work));
}

/** What a transaction comes to with the statements that it began last. */
export interface WithLast<T> {
  readonly last: Promise<T>;
}

/**
 * As `inTransaction`, and the statements that `work` begins last travel with the commit instead of being waited for
 * before it. Resolves when they and the commit have succeeded; where one of them fails, nothing is committed.
 */
export async function inTransactionWithLast<T>(
  db: Db | Tx,
  work: (tx: Tx) => Promise<WithLast<T>>,
): Promise<T> {
  const heard = async (tx: Tx): Promise<WithLast<T>> => {
    const ending = await work(tx);
    // Its failure is told below, once the transaction has ended.
    ending.last.catch(() => undefined);
    return ending;
  };
  if (db.isTransaction) return (await heard(db as Tx)).last;
  return repeating(async () => (await withHints(db, heard, ({ last }) => last)).last);
}

/** Does it again where the database undid it for the sake of others. */
async function repeating<T>(attempt: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (repeats === mostRepeats || !wasUndone(error)) throw error;
      await delay(pauseMs * (repeats + 1));
    }
  }
}

function wasUndone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && undone.has(String(error.code));
}
