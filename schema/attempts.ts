import { sql } from 'kysely';
import type { Db, Tx } from './database.js';
import type { Fence } from './fences.js';
import type { Step } from './records.js';
import { toStep } from './steps.js';
import { livingWorker } from './worker-lives.js';

/** An attempt of a step that a worker has in hand. */
export interface AttemptInHand extends Pick<Step, 'id' | 'attempt'> {
  /** The worker's key. */
  readonly worker: number;
}

/** A step with the key of the worker that has its attempt in hand; null where there is none, or it has died. */
export async function findAttempt(
  tx: Tx,
  stepId: string,
): Promise<{ readonly step: Step; readonly worker: number | null } | undefined> {
  const row = await tx
    .selectFrom('steps')
    .selectAll()
    .select(livingWorker.as('living_worker'))
    .where('id', '=', stepId)
    .executeTakeFirst();
  return row === undefined ? undefined : { step: toStep(row), worker: row.living_worker };
}

/**
 * When there was news last of a turn in which a worker has this attempt in hand; undefined where it has not any more:
 * it came to something, the worker died or let it go, or the turn is no longer this execution's.
 */
export async function newsOf(db: Db, fence: Fence, attempt: AttemptInHand): Promise<Date | undefined> {
  const { rows } = await sql<{ touched_at: Date; worker: number | null }>`
    select turns.touched_at, ${livingWorker} as worker from steps join turns on turns.id = steps.turn_id
    where ${isOpen(fence, attempt)} and steps.worker = ${attempt.worker}`.execute(db);
  const [row] = rows;
  return row?.worker == null ? undefined : row.touched_at;
}

/** Whether an answer that this attempt gets may be stored: no other was begun, and the turn is this execution's. */
export async function isNewest(
  db: Db,
  fence: Fence,
  attempt: Pick<Step, 'id' | 'attempt'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from steps join turns on turns.id = steps.turn_id where ${isOpen(fence, attempt)}`.execute(db);
  return rows.length > 0;
}

function isOpen(fence: Fence, { id, attempt }: Pick<Step, 'id' | 'attempt'>) {
  return sql`steps.id = ${id} and steps.attempt = ${attempt} and steps.state = 'pending'
    and turns.state = 'running' and turns.execution_id = ${fence.executionId}`;
}

/** Lets others make another attempt at once, as they may where its worker has died. */
export async function letGo(db: Db, { id, attempt }: Pick<Step, 'id' | 'attempt'>): Promise<void> {
  await db
    .updateTable('steps')
    .set({ worker: null })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .execute();
}

/** Lets go of the attempt of a turn's step that a worker has in hand, whichever it is. */
export async function takeFromWorkers(tx: Tx, turnId: string): Promise<void> {
  await tx
    .updateTable('steps')
    .set({ worker: null })
    .where('turn_id', '=', turnId)
    .where('state', '=', 'pending')
    .execute();
}

/** Gives news of a turn: that it is worked on. Nothing where it is no longer this execution's. */
export async function giveNews(db: Db, fence: Fence): Promise<void> {
  await sql`
    update turns set touched_at = clock_timestamp()
    where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}`.execute(db);
}
