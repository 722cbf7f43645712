import { type Selectable, sql } from 'kysely';
import type { TurnCallbacksTable } from './tables.js';
import type { Db, Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

/** The report of a turn's end to its callback URL. */
export interface TurnCallback {
  readonly state: 'waiting' | 'done' | 'given_up';
  /** The last attempt. */
  readonly sentAt: Date | null;
  readonly statusCode: number | null;
  readonly error: string | null;
}

/** Records, with the turn, that its end must be reported. */
export async function insertCallback(tx: Tx, turnId: string): Promise<void> {
  await tx.insertInto('turn_callbacks').values({ turn_id: turnId }).execute();
}

/** The callbacks of turns, by turn id. */
export async function readCallbacks(
  db: Db,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, TurnCallback>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('turn_callbacks')
    .selectAll()
    .where('turn_id', '=', sql<string>`any(${[...turnIds]})`)
    .execute();
  return new Map(rows.map((row) => [row.turn_id, toCallback(row)]));
}

/** Records an attempt. A finished report stays unchanged. */
export async function storeAttempt(
  db: Db,
  turnId: string,
  attempt: Pick<TurnCallback, 'state' | 'statusCode' | 'error'>,
): Promise<void> {
  await db
    .updateTable('turn_callbacks')
    .set({
      state: attempt.state,
      sent_at: sql<Date>`clock_timestamp()`,
      status_code: attempt.statusCode,
      error: attempt.error === null ? null : storable(attempt.error),
    })
    .where('turn_id', '=', turnId)
    .where('state', '=', 'waiting')
    .execute();
}

/** Ended turns without a running report. A report whose workflow was lost is started again after some minutes. */
export async function callbacksToStart(db: Db): Promise<readonly string[]> {
  const result = await sql<{ turnId: string }>`
    select c.turn_id as "turnId" from turn_callbacks c join turns t on t.id = c.turn_id
    where c.state = 'waiting' and t.completed_at is not null
      and (c.started_at is null or c.started_at < now() - interval '15 minutes')
    limit 200`.execute(db);
  return result.rows.map(({ turnId }) => turnId);
}

/** Records that the workflow which reports a turn's end was started. */
export async function markStarted(db: Db, turnId: string): Promise<void> {
  await db
    .updateTable('turn_callbacks')
    .set({ started_at: sql<Date>`now()` })
    .where('turn_id', '=', turnId)
    .execute();
}

function toCallback(row: Selectable<TurnCallbacksTable>): TurnCallback {
  return { state: row.state, sentAt: row.sent_at, statusCode: row.status_code, error: row.error };
}
