import { type Kysely, sql } from 'kysely';

/** Passages that agents keep in their context. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // A passage that is deleted is unpinned by that.
  `create table pinned_passages (
    agent_id text not null references agents on delete cascade,
    passage_id text not null references passages on delete cascade,
    pinned_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, passage_id)
  )`,
  `create index pinned_passages_by_passage on pinned_passages (passage_id)`,
];
