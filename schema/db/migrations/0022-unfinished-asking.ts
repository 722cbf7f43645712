import { type Kysely, sql } from 'kysely';

/** Whether a tool call that asks other agents has not asked all of them yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table effects add column asking boolean not null default false`.execute(db);
}
