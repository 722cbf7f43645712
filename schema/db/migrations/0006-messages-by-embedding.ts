import { type Kysely, sql } from 'kysely';

/** Finds the messages that wait for an embedding without reading all that an agent ever heard. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Only what recall searches is ever embedded; `schema/threads/recall.ts` states the same condition.
  await sql`
    create index messages_by_embedding on messages (agent_id, embedding_model)
    where position is not null and kind in ('user', 'assistant', 'system')`.execute(db);
}
