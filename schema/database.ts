import type { Kysely, Transaction } from 'kysely';
import pg from 'pg';
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
  const db = openPipelined<Tables>(pool);
  return { db, pool, close: () => db.destroy() };
}

const parserOf: typeof pg.types.getTypeParser = (oid: number, ...format: unknown[]): unknown =>
  oid === int8 ? Number : defaultParserOf(oid, ...format);

// The type of pg wants its own enum of type numbers, and overloads by format.
const defaultParserOf = pg.types.getTypeParser as (oid: number, ...format: unknown[]) => unknown;

/** Runs `work` in a transaction, or in the one it is already in. */
export async function inTransaction<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work);
}
