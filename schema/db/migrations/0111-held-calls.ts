import { type Kysely, sql } from 'kysely';

/** Calls that wait beside one that somebody has to decide about, and need no decision themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Not validated: what was allowed before still is, and a scan would hold the table up.
  await sql
    .raw(
      `alter table effects
        drop constraint effects_state_check,
        add constraint effects_state_check check (state in ('planned', 'started', 'awaiting', 'held', 'done')) not valid`,
    )
    .execute(db);
}
