import { type Kysely, sql } from 'kysely';

/** The agent whose tool has made another one: it may go on to work with it. Not a reference: the maker may be gone first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agents add column made_by text`.execute(db);
  await sql`create index agents_by_maker on agents (made_by) where made_by is not null`.execute(db);
}
