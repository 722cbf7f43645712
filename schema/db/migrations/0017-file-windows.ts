import { type Kysely, sql } from 'kysely';

/** How much of an open file its agent's context shows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Decided when it is opened, by the agent's window then: the prompt's prefix must not change with a setting.
  await sql`alter table agent_files add column characters int not null default 15000`.execute(db);
}
