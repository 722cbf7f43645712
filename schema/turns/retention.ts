import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/database.js';

/** Steps examined per batch. */
const batch = 500;

interface Place {
  readonly at: string;
  readonly id: string;
}

/**
 * Removes the steps of turns that ended before `before`, with their effects and logs, in batches until stopped.
 * Returns the number of steps removed. These stay:
 * 1. The turn with its end and the last event of its log, which has the usage; all messages; all revisions of blocks.
 * 2. Steps that are still needed: by a call that waits or was taken over by a later turn, by feedback, by a token
 *    budget.
 * 3. The steps of a thread's current epoch, which tell the size of its context.
 */
export async function pruneTurns(db: Db, before: Date, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  let place: Place | undefined;
  do {
    const seen: SeenSteps = await removeBatch(db, before, place);
    removed += seen.removed;
    place = seen.last ?? undefined;
  } while (place !== undefined && signal?.aborted !== true);
  return removed;
}

interface SeenSteps {
  readonly removed: number;
  /** Null: no more. */
  readonly last: Place | null;
}

async function removeBatch(db: Db, before: Date, after: Place | undefined): Promise<SeenSteps> {
  const from =
    after === undefined ? sql`true` : sql`(created_at, id) > (${after.at}::timestamptz, ${after.id})`;
  const { rows } = await sql<SeenSteps>`
    with seen as materialized (
      select id, turn_id, thread_id, epoch_id, created_at from steps
      where created_at < ${before} and ${from} order by created_at, id limit ${batch}
    ), gone as (
      delete from steps using seen join turns on turns.id = seen.turn_id
      where steps.id = seen.id and turns.completed_at < ${before} and ${isDispensable(before)}
      returning steps.turn_id
    ), forgotten as (
      delete from turn_events using (select distinct turn_id from gone) as pruned
      where turn_events.turn_id = pruned.turn_id and turn_events.event->>'kind' <> 'ended'
    )
    select (select count(*) from gone) as removed, (
      select jsonb_build_object('at', created_at::text, 'id', id) from seen
      order by created_at desc, id desc limit 1) as last`.execute(db);
  return rows[0] ?? { removed: 0, last: null };
}

function isDispensable(before: Date): RawBuilder<boolean> {
  return sql<boolean>`not exists (
      select from effects join turns as taking on taking.id = effects.turn_id
      where effects.step_id = seen.id
        and (effects.state <> 'done' or taking.completed_at is null or taking.completed_at >= ${before}))
    and not exists (select from step_feedback where step_feedback.step_id = seen.id)
    and not exists (select from token_reservations where token_reservations.step_id = seen.id)
    and not exists (select from threads where threads.id = seen.thread_id and threads.epoch_id = seen.epoch_id)`;
}
