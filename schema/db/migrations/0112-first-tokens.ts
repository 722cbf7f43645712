import { type Kysely, sql } from 'kysely';

/** How long a turn's first word took. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table turns add column first_token_ms integer`).execute(db);
}
