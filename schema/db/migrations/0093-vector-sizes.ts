import { type Kysely, sql } from 'kysely';

/** Tells which sizes of vectors there are without reading them all: each is to have its index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Adding zero keeps searches from it, which ask for one size and would read all vectors of that size by it.
  for (const table of ['passages', 'messages']) {
    await sql`
      create index ${sql.id(`${table}_by_vector_size`)} on ${sql.table(table)} ((cardinality(embedding) + 0))
      where embedding is not null`.execute(db);
  }
}
