import { type Kysely, sql } from 'kysely';

/** Agents whose past messages are to get their embeddings, because they searched them; first come, first served. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table recall_indexing (
      agent_id text primary key references agents on delete cascade,
      asked_at timestamptz not null default now()
    )`.execute(db);
}
