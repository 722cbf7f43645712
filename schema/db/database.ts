import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { createGate, type Gate } from './gate.js';
import { createHinter, type HintingDb, type HintingTx, withHints } from './hints.js';
import { answersOf, type LastStatements } from './last-statements.js';
import { openPipelined } from './pipelining.js';
import { isStale } from './prepared-names.js';
import type { Tables } from './tables.js';
import {
  defaultLimits,
  limitStatements,
  sessionLimits,
  socketOptions,
  startupOptions,
  type WaitLimits,
} from './wait-limits.js';

/** The database, or a transaction on it. Every query function takes one as its first argument. */
export type Db = HintingDb & {
  /** Connections for sessions of their own. Absent: those of the database. */
  readonly sessions?: Kysely<Tables>;
  /** Limits how many wait for the same row. Absent: no limit. */
  readonly gate?: Gate;
};
export type Tx = HintingTx;

const int8 = 20;

/** A database with its connection pool. */
export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** The most connections. Default 10. */
  readonly connections?: number;
  /** Time limits. Default `defaultLimits`. */
  readonly limits?: WaitLimits;
  /** The URL of the server itself, where `url` leads to a pooler in transaction mode. */
  readonly directUrl?: string | undefined;
  /** Called when an idle connection breaks (server stopped, network fault). The pool replaces it. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool on `url`, which connects when first used. bigint columns are read as numbers: they count rows and stay
 * far below 2^53.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { limits = defaultLimits, directUrl = url } = options;
  const main = openPool(url, { ...options, limits, isDirect: directUrl === url });
  const sessions = openPool(directUrl, {
    ...options,
    connections: mostSessions,
    limits: sessionLimits,
    isDirect: true,
  });
  const hinter = createHinter(directUrl, (error) => options.onConnectionLost?.(error));
  const db: Db = Object.assign(main.db, {
    hinter,
    sessions: sessions.db,
    gate: createGate(limits.lockMs),
  });
  const close = async (): Promise<void> => {
    await hinter.close();
    await db.destroy();
    await sessions.db.destroy();
  };
  return { db, pool: main.pool, close };
}

/**
 * The most connections of a pool that stay open when idle. A new one has to authenticate, load the catalog and plan
 * each statement anew, which would delay the first turn after a silence.
 */
const mostKept = 4;

/** The most sessions of a process. Each waits for the world, or for an index. */
const mostSessions = 10;

/** Opens a pool whose connections have these limits. */
function openPool(
  url: string,
  options: DatabaseOptions & { readonly limits: WaitLimits; readonly isDirect: boolean },
): { readonly db: Kysely<Tables>; readonly pool: pg.Pool } {
  const { limits, isDirect } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    min: mostKept,
    types: { getTypeParser: parserOf },
    pipeline: true,
    ...socketOptions(limits),
    ...(isDirect ? startupOptions(limits) : {}),
  });
  // Without a listener, a stopped server (57P01) would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  // The pool does not listen to a connection in use, so a break between two statements would end the process. The
  // next
  // statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { db: openPipelined<Tables>(pool, isDirect ? '' : limitStatements(limits)), pool };
}

/**
 * Runs `work` on a session of its own, even behind a pooler: for locks that outlast a transaction, and for statements
 * that take longer than usual.
 */
export function inSession<T>(db: Db, work: (session: Db) => Promise<T>): Promise<T> {
  return (db.sessions ?? db).connection().execute(work);
}

const parserOf: typeof pg.types.getTypeParser = (oid: number, ...format: unknown[]): unknown =>
  oid === int8 ? Number : defaultParserOf(oid, ...format);

// The type of pg wants its own enum of type numbers, and overloads by format.
const defaultParserOf = pg.types.getTypeParser as (oid: number, ...format: unknown[]) => unknown;

/** SQLSTATEs of transactions that may succeed when repeated: deadlock, serialization failure. */
const undone = new Set(['40P01', '40001']);
/** How often a transaction is repeated before its error is thrown. */
const mostRepeats = 2;
/**
 * Pause before a repetition, in ms. Postgres gives a row's lock to the first that asks, not to a waiter.
 * Without a pause, the aborted transaction would take the row again and cause the same deadlock.
 */
const pauseMs = 50;
/** The statement timeout for deleting or copying any number of rows, in ms. */
const longMs = 15 * 60_000;

/** A database, and the row that a transaction on it waits for first. */
interface AtRow {
  readonly db: Db | Tx;
  readonly row: string;
}

/**
 * For a transaction that first waits for a row such as a thread, which the id names: of many that wait for the same
 * row, only a few hold a connection.
 */
export function waitingAt(db: Db | Tx, row: string): AtRow {
  return { db, row };
}

/**
 * Runs `work` in a transaction, or in the one it is given. After a deadlock, a serialization failure or an outdated
 * prepared statement the transaction is repeated a few times, so `work` must change nothing but rows. If `work` ends
 * with `lastStatements`, the commit is sent with them.
 */
export async function inTransaction<T>(
  where: Db | Tx | AtRow,
  work: (tx: Tx) => Promise<T | LastStatements<T>>,
): Promise<T> {
  const { db, row } = placeOf(where);
  if (db.isTransaction) return answersOf(await work(db as Tx));
  return repeating(db, row, () => withHints(db, work));
}

/**
 * Lets the commit return before it is on disk. For rows that are written again if a crash of the database loses them.
 * A later commit that waits makes them durable too.
 */
export async function withoutDisk(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

function placeOf(where: Db | Tx | AtRow): { readonly db: Db | Tx; readonly row?: string } {
  return 'row' in where ? where : { db: where };
}

/** Raises the transaction's statement timeout, for deleting or copying any number of rows. */
export async function allowTime(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = ${sql.lit(longMs)}`.execute(tx);
}

/** Repeats an attempt after a deadlock, a serialization failure or an outdated plan. */
async function repeating<T>(db: Db, row: string | undefined, attempt: () => Promise<T>): Promise<T> {
  const gate = row === undefined ? undefined : db.gate;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await (gate === undefined || row === undefined ? attempt() : gate.pass(row, attempt));
    } catch (error) {
      if (repeats === mostRepeats || !(wasUndone(error) || isStale(error))) throw error;
      await delay(isStale(error) ? 0 : pauseMs * (repeats + 1));
    }
  }
}

function wasUndone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && undone.has(String(error.code));
}
