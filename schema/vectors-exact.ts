import { sql } from 'kysely';
import type { Db, Tx } from './database.js';
import type { NearestQuery, Vectors } from './vectors.js';

/** Compares with every vector: no extension, no index, always right; some 40 ms for a thousand of 384 dimensions. */
export function exactVectors(reason: string): Vectors {
  return {
    kind: 'exact',
    note: `Vectors are searched exactly, without an index: ${reason}`,
    prepare: () => Promise.resolve(),
    nearest: nearestExactly,
  };
}

async function nearestExactly(db: Db | Tx, query: NearestQuery): Promise<readonly string[]> {
  const { table, vector, model, within, limit } = query;
  // The query's own length is the same for all, so it is left out of the cosine. Double precision, because sums of
  // `real` lose what tells near neighbours apart.
  const result = await sql<{ id: string }>`
    select id from (
      select id, (
        select sum(a::float8 * b) / nullif(sqrt(sum(a::float8 * a)), 0)
        from unnest(${sql.table(table)}.embedding, ${[...vector]}::real[]) as pair (a, b)
      ) as likeness
      from ${sql.table(table)}
      where ${within} and embedding_model = ${model} and cardinality(embedding) = ${vector.length}
    ) as compared
    where likeness is not null order by likeness desc, id limit ${limit}`.execute(db);
  return result.rows.map((row) => row.id);
}
