import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** The groups whose talk waits for this turn. Called after the commit of its end. */
export async function groupsAwaiting(db: Db | Tx, turnId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('talk_turns')
    .innerJoin('talks', 'talks.id', 'talk_turns.talk_id')
    .select('talks.group_id')
    .where('talk_turns.turn_id', '=', turnId)
    .where('talk_turns.stop_reason', 'is', null)
    .execute();
  return rows.map(({ group_id: groupId }) => groupId);
}

/**
 * Groups with a talk that could continue but has not for `patienceMs`, because its signal or its execution was lost.
 * A talk whose turn is still running is left out until that turn is overdue.
 */
export async function groupsToWake(db: Db | Tx, patienceMs: number): Promise<readonly string[]> {
  const result = await sql<{ groupId: string }>`
    select distinct k.group_id as "groupId" from talks k
    where k.completed_at is null and k.touched_at < now() - ${patienceMs} * interval '1 millisecond'
      and not exists (
        select from talk_turns tt join turns t on t.id = tt.turn_id
        where tt.talk_id = k.id and tt.stop_reason is null and t.state in ('created', 'running')
          and tt.deadline > now())
      and not exists (
        select from talks earlier
        where earlier.group_id = k.group_id and earlier.completed_at is null and earlier.seq < k.seq)
    limit 200`.execute(db);
  return result.rows.map(({ groupId }) => groupId);
}
