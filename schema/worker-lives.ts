import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.js';

/** Any number that no other advisory lock of ours has in its place; a worker's key is in the second. */
export const workerLocks = 7_260_117;

/** Channel on which workers are asked whether they still have something in hand. The payload names it. */
export const workerChannel = 'perdure_worker';

/**
 * The column `worker` of a table, where that worker lives; null else. Each holds a lock by its key on a connection of
 * its own, and the database frees it as soon as the process is gone. Whoever looks shares the lock until its own
 * transaction ends.
 */
export function livingWorker(table: 'steps' | 'effects' | 'work'): RawBuilder<number | null> {
  const worker = sql.ref(`${table}.worker`);
  return sql`
    case when not pg_try_advisory_xact_lock_shared(${sql.lit(workerLocks)}, ${worker}) then ${worker} end`;
}

/** Asks whichever worker has it in hand for news of it. */
export async function askForNews(db: Db, name: string): Promise<void> {
  await sql`select pg_notify(${workerChannel}, ${name})`.execute(db);
}
