import { type Kysely, sql } from 'kysely';

/** What workers do from time to time, one of them at a time: when each was last begun, and who has it in hand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table upkeep (
      name text primary key,
      begun_at timestamptz not null,
      -- Whoever began it has it to itself until then, or until it says that it is done. Null: nobody has it.
      held_until timestamptz,
      holder text
    )`.execute(db);
}
