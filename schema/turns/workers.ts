import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** An arbitrary number, different from the other advisory locks' first keys. The second key is the worker's. */
export const workerLocks = 7_260_117;

/** After the database starts, living workers have this long to take their locks again. */
const returnTime = '5 seconds';

/** A worker process. While it lives, it holds an advisory lock on its key, which the database frees at its end. */
export interface WorkerEntry {
  readonly key: number;
  /** Its identity in Temporal. */
  readonly identity: string;
}

/** Adds a worker, which already holds the lock of its key. */
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

/** The keys of all workers that were added and not removed. */
export async function workerKeys(db: Db): Promise<readonly number[]> {
  const rows = await db.selectFrom('workers').select('key').execute();
  return rows.map(({ key }) => key);
}

/** Workers whose lock is free: they died, or lost their connection and will return. */
export async function workersWithoutLock(db: Db): Promise<readonly WorkerEntry[]> {
  const { rows } = await sql<WorkerEntry>`
    select key, identity from workers
    where clock_timestamp() - pg_postmaster_start_time() > ${sql.lit(returnTime)}::interval
      and pg_try_advisory_xact_lock_shared(${sql.lit(workerLocks)}, key)`.execute(db);
  return rows;
}

/** Takes a dead worker's lock until the transaction ends, so that only one other worker handles the death. */
export async function holdDeath(tx: Tx, key: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(workerLocks)}, key) as held
    from workers where key = ${key}`.execute(tx);
  return rows[0]?.held ?? false;
}

/** An open execution that may have an activity on a dead worker. */
export interface OpenExecution {
  readonly workflowId: string;
  /** Absent: the open one. */
  readonly runId?: string;
  /** The worker that claimed the execution's turn and probably has it in its cache. */
  readonly worker?: number | null;
}

/** The executions of running turns and of file ingestions. */
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
