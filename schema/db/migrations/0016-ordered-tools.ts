import { type Kysely, sql } from 'kysely';

/** Keeps the tools of an epoch as they were sent: `jsonb` puts their fields into an order of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table epochs alter column tools type json using tools::json`.execute(db);
}
