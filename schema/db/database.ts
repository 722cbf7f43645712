import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { createGate, type Gate } from './gate.js';
import { createHinter, sendHints, withHints } from './hints.js';
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
  /** How long they wait. Default `defaultLimits`. */
  readonly limits?: WaitLimits;
  /** The server itself, where `url` leads through a pooler that gives each transaction another session. */
  readonly directUrl?: string | undefined;
  /** Told when an idle connection breaks (the server stopped, a network fault); the pool replaces it by itself. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * Opens a pool on `url`; connects when first used. bigint columns are read as numbers: they count rows and stay
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
  sessionsOf.set(main.db, sessions.db);
  gates.set(main.db, createGate(limits.lockMs));
  const hinter = createHinter(directUrl, (error) => options.onConnectionLost?.(error));
  sendHints(main.db, hinter);
  const close = async (): Promise<void> => {
    await hinter.close();
    await main.db.destroy();
    await sessions.db.destroy();
  };
  return { ...main, close };
}

/** Sessions of a process at most: each of them waits for the world, or for an index. */
const mostSessions = 10;

/** Opens a pool whose connections have these limits, by the way that their server takes them. */
function openPool(
  url: string,
  options: DatabaseOptions & { readonly limits: WaitLimits; readonly isDirect: boolean },
): Omit<Database, 'close'> {
  const { limits, isDirect } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    types: { getTypeParser: parserOf },
    pipeline: true,
    ...socketOptions(limits),
    ...(isDirect ? startupOptions(limits) : {}),
  });
  // Without a listener, a stopped server (57P01) would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  // Nor does the pool hear a connection that is in use: between two statements nothing else would. Who has it is told by
  // the next one.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { db: openPipelined<Tables>(pool, isDirect ? '' : limitStatements(limits)), pool };
}

/** Where each database's sessions are, and who waits for its rows. */
const sessionsOf = new WeakMap<Db, Db>();
const gates = new WeakMap<Db, Gate>();

/**
 * Runs `work` on a session that is its own until it ends, also behind a pooler: for locks that outlast a transaction, and
 * for what takes longer than a statement may.
 */
export function inSession<T>(db: Db, work: (session: Db) => Promise<T>): Promise<T> {
  return (sessionsOf.get(db) ?? db).connection().execute(work);
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
/** What a statement may take where it deletes or copies any number of rows, in ms. */
const longMs = 15 * 60_000;

/** A database, and the row that is waited for first on it. */
interface AtRow {
  readonly db: Db | Tx;
  readonly row: string;
}

/**
 * The database for a transaction that waits for a row first, such as a thread, named by its id: of many that wait for the
 * same, few hold a connection meanwhile.
 */
export function waitingAt(db: Db | Tx, row: string): AtRow {
  return { db, row };
}

/**
 * Runs `work` in a transaction, or in the one it is already in. Where the database undid it for the sake of others, or
 * could not run what it had prepared, it is begun again, a few times: `work` changes nothing but rows. Where `work` ends
 * with its `lastStatements`, the commit travels with them.
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
 * Lets the commit not wait for the disk. For rows that are written again where a crash of the database loses them: a
 * later commit that waits makes them durable too.
 */
export async function withoutDisk(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

function placeOf(where: Db | Tx | AtRow): { readonly db: Db | Tx; readonly row?: string } {
  return 'row' in where ? where : { db: where };
}

/** Gives the transaction more time for each statement than others have: for what deletes or copies any number of rows. */
export async function allowTime(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = ${sql.lit(longMs)}`.execute(tx);
}

/** Does it again where the database undid it for the sake of others, or its plan was outdated. */
async function repeating<T>(db: Db, row: string | undefined, attempt: () => Promise<T>): Promise<T> {
  const gate = row === undefined ? undefined : gates.get(db);
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
