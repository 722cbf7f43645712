import { type Kysely, sql } from 'kysely';

/** Which worker has a tool's run in hand: as long as it lives, the tool is not run a second time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table effects add column worker integer`.execute(db);
}
