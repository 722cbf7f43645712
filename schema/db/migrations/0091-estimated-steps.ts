import { type Kysely, sql } from 'kysely';

/** What a step's request was estimated at, beside what its provider counts; and whether it was all of the context. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table steps add column estimated_tokens int, add column shortened boolean not null default false`.execute(
    db,
  );
}
