import { type Kysely, sql } from 'kysely';

/** Counts the workers that died with a turn in hand, so that a turn which ends its workers is ended itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workers add column stuck_in text`.execute(db);
  await sql`
    alter table turns add column deaths integer not null default 0,
      add column died_at_step integer not null default 0, add column died_with integer`.execute(db);
}
