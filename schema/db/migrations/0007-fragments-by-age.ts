import { type Kysely, sql } from 'kysely';

/** Finds the fragments that are old enough to be pruned without reading the whole log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index turn_events_fragments on turn_events (created_at) where event->>'kind' = 'delta'`.execute(
    db,
  );
}
