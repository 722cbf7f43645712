import { type Kysely, sql } from 'kysely';

/** When an agent's latest turn ended, which agents are ordered by: read off an index, however many turns it has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index turns_by_completion on turns (agent_id, completed_at desc) where completed_at is not null`.execute(
    db,
  );
}
