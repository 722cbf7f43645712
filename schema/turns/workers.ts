import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** Any number that no other advisory lock of ours has in its place. A worker's key is in the second. */
export const workerLocks = 7_260_117;

/** After a start of the database, workers that live get this long to take their locks again. */
const returnTime = '5 seconds';

/** A worker process. While it lives it holds an advisory lock by its key, which the database frees at its end. */
export interface WorkerEntry {
  readonly key: number;
  /** How Temporal knows it. */
  readonly identity: string;
}

/** Writes a worker down. It holds the lock of its key already. */
export async function addWorker(db: Db, { key, identity }: WorkerEntry): Promise<void> {
  await db
    .insertInto('workers')
    .values({ key, identity })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeWorker(db: Db | Tx, key: number): Promise<void> {
  await db.deleteFrom('workers').where('key', '=', key).execute();
}

/** Of all workers that were written down and not removed. */
export async function workerKeys(db: Db): Promise<readonly number[]> {
  const rows = await db.selectFrom('workers').select('key').execute();
  return rows.map(({ key }) => key);
}

/** Workers whose lock is free: they have died, or have lost their connection and are about to return. */
export async function workersWithoutLock(db: Db): Promise<readonly WorkerEntry[]> {
  const { rows } = await sql<WorkerEntry>`
    select key, identity from workers
    where clock_timestamp() - pg_postmaster_start_time() > ${sql.lit(returnTime)}::interval
      and pg_try_advisory_xact_lock_shared(${sql.lit(workerLocks)}, key)`.execute(db);
  return rows;
}

/** Takes a dead worker's lock until the transaction ends: one other worker at a time acts on a death. */
export async function holdDeath(tx: Tx, key: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(workerLocks)}, key) as held
    from workers where key = ${key}`.execute(tx);
  return rows[0]?.held ?? false;
}

/** An open execution that may have an activity on a dead worker. */
export interface OpenExecution {
  readonly workflowId: string;
  /** Absent: whichever is open. */
  readonly runId?: string;
  /** The worker that took the execution's turn, and probably has it in its cache. */
  readonly worker?: number | null;
}

/** Executions of turns that run and of files that are ingested. */
export async function openExecutions(db: Db | Tx): Promise<readonly OpenExecution[]> {
  const [turns, files] = await Promise.all([
    db
      .selectFrom('turns')
      .select(['thread_id as workflowId', 'execution_id as runId', 'worker'])
      .where('state', '=', 'running')
      .execute(),
    db
      .selectFrom('files')
      .select('id as workflowId')
      .where('state', 'in', ['pending', 'parsing', 'embedding'])
      .execute(),
  ]);
  const running = turns.map(({ runId, ...turn }) => (runId === null ? turn : { ...turn, runId }));
  return [...running, ...files];
}
