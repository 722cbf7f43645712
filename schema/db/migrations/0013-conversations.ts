import { type Kysely, sql } from 'kysely';

/** Conversations: threads of an agent beside its default one, which can be archived and deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads
    add column archived_at timestamptz,
    -- A tombstone: what still runs ends in order, then its rows are purged.
    add column deleted_at timestamptz`.execute(db);
  await sql`create index threads_by_creation on threads (created_at, id) where not is_default`.execute(db);
}
