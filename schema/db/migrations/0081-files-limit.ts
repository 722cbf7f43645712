import { type Kysely, sql } from 'kysely';

/** How many files an agent could have open when it opened one: its context says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_files add column files_limit int`.execute(db);
}
