import { type Kysely, sql } from 'kysely';

/** Which worker has a step's attempt in hand: as long as it lives, nobody else makes another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table steps add column worker integer`.execute(db);
}
