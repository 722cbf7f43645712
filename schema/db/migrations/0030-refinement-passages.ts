import { type Kysely, sql } from 'kysely';

/** Passages that a refinement would store: they wait with it, as its edits of blocks do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table refinement_passages (
    -- That the passage will have.
    id text primary key,
    refinement_id text not null references refinements on delete cascade,
    words text not null,
    embedding real[],
    embedding_model text
  )`.execute(db);
  await sql`create index refinement_passages_by_refinement on refinement_passages (refinement_id)`.execute(
    db,
  );
}
