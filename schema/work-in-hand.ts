import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from './database.js';
import type { Fence } from './fences.js';
import { livingWorker } from './worker-lives.js';

/** What a worker may have in hand: an attempt of a step, by its number, or the run of a tool. */
export type Work =
  | { readonly kind: 'attempt'; readonly id: string; readonly attempt: number }
  | { readonly kind: 'tool'; readonly id: string };

/** The name by which workers ask each other for it. */
export function nameOf(work: Work): string {
  return work.kind === 'attempt' ? `${work.id} ${work.attempt}` : work.id;
}

/**
 * When there was news last of a turn in which the worker with this key has work in hand; undefined where it has not any
 * more: the work came to something, the worker died or let it go, or the turn is no longer this execution's.
 */
export async function newsOf(
  db: Db,
  fence: Fence,
  { work, worker }: { readonly work: Work; readonly worker: number },
): Promise<Date | undefined> {
  const { rows } = await sql<{ touched_at: Date; living: number | null }>`
    select turns.touched_at, ${livingWorker('work')} as living from ${isOpen(fence, work)}
      and work.worker = ${worker}`.execute(db);
  const [row] = rows;
  return row?.living == null ? undefined : row.touched_at;
}

/** Whether what the work comes to may still be stored: it is not done, no other attempt was begun, the turn is ours. */
export async function isOfUse(db: Db, fence: Fence, work: Work): Promise<boolean> {
  const { rows } = await sql`select from ${isOpen(fence, work)}`.execute(db);
  return rows.length > 0;
}

function isOpen({ executionId }: Fence, work: Work): RawBuilder<unknown> {
  const isUndone =
    work.kind === 'attempt'
      ? sql`work.state = 'pending' and work.attempt = ${work.attempt}`
      : sql`work.state = 'started'`;
  return sql`${tableOf(work)} as work join turns on turns.id = work.turn_id
    where work.id = ${work.id} and ${isUndone} and turns.state = 'running' and turns.execution_id = ${executionId}`;
}

function tableOf({ kind }: Work): RawBuilder<unknown> {
  return sql.table(kind === 'attempt' ? 'steps' : 'effects');
}

/** Lets others take it up at once, as they may where its worker has died. */
export async function letGo(db: Db, work: Work): Promise<void> {
  const isThis = work.kind === 'attempt' ? sql`and attempt = ${work.attempt}` : sql``;
  await sql`update ${tableOf(work)} set worker = null where id = ${work.id} ${isThis}`.execute(db);
}

/** Lets go of whatever a worker has in hand of a turn. */
export async function takeFromWorkers(tx: Tx, turnId: string): Promise<void> {
  await Promise.all([
    sql`update steps set worker = null where turn_id = ${turnId} and state = 'pending'`.execute(tx),
    sql`update effects set worker = null where turn_id = ${turnId} and state = 'started'`.execute(tx),
  ]);
}

/** Gives news of a turn: that it is worked on. Nothing where it is no longer this execution's. */
export async function giveNews(db: Db, fence: Fence): Promise<void> {
  await sql`
    update turns set touched_at = clock_timestamp()
    where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}`.execute(db);
}
