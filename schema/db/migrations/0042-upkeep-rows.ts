import { type Kysely, sql } from 'kysely';

/** What workers do from time to time, one of them at a time: when each was last begun, and who has it in hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table upkeep (
      name text primary key,
      begun_at timestamptz not null,
      -- The worker that began it has it until then, or until it is done. Null: no worker has it.
      held_until timestamptz,
      holder text
    )`.execute(db);
}
