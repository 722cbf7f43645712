import { type RawBuilder, sql } from 'kysely';
import { type Db, inSession } from '../db/database.js';
import type { VectorTable } from './vectors.js';

/** The type in which pgvector can index vectors of this size; undefined above 4,000 dimensions. */
export function indexedType(dimensions: number): 'vector' | 'halfvec' | undefined {
  if (dimensions <= 2_000) return 'vector';
  return dimensions <= 4_000 ? 'halfvec' : undefined;
}

/**
 * Creates the HNSW index for vectors of this size if it is missing, without blocking readers and writers. One process
 * builds it; others return at once and search without it meanwhile. Must not be called in a transaction.
 */
export async function ensureVectorIndex(db: Db, table: VectorTable, dimensions: number): Promise<void> {
  const type = indexedType(dimensions);
  const name = `${table}_embedding_${dimensions}`;
  if (type === undefined || (await stateOf(db, name)) === 'valid') return;
  await inSession(db, async (connection) => {
    // Does not wait for the lock: a waiting statement holds a snapshot, and the builder would wait for that.
    const lock = sql<{
      locked: boolean;
    }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`;
    if ((await lock.execute(connection)).rows[0]?.locked !== true) return;
    try {
      await build(connection, { table, name, type, dimensions });
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`.execute(connection);
    }
  });
}

/** A size of vectors in a table. */
export interface VectorSize {
  readonly table: VectorTable;
  readonly dimensions: number;
}

/** The sizes of all stored vectors. */
export async function storedSizes(db: Db): Promise<readonly VectorSize[]> {
  const found = (['passages', 'messages'] as const).map(async (table) => {
    // Jumps from one size to the next larger one in the index on sizes, without reading a vector.
    const next = (above: number | RawBuilder<number>): RawBuilder<number> => sql`
      select cardinality(embedding) + 0 from ${sql.table(table)}
      where embedding is not null and cardinality(embedding) + 0 > ${above}
      order by cardinality(embedding) + 0 limit 1`;
    const result = await sql<{ dimensions: number }>`
      with recursive sizes (size) as (
        (${next(0)})
        union all select (${next(sql.ref<number>('sizes.size'))}) from sizes where size is not null
      )
      select size as dimensions from sizes where size is not null`.execute(db);
    return result.rows.map(({ dimensions }) => ({ table, dimensions }));
  });
  return (await Promise.all(found)).flat();
}

async function build(
  db: Db,
  index: { table: VectorTable; name: string; type: 'vector' | 'halfvec'; dimensions: number },
): Promise<void> {
  const { table, name, type, dimensions } = index;
  // An interrupted build leaves an index that is maintained but never used.
  if ((await stateOf(db, name)) === 'invalid') {
    await sql`drop index concurrently if exists ${sql.table(name)}`.execute(db);
  }
  const cast = sql.raw(`${type}(${dimensions})`);
  // Of 200,000 clustered vectors the usual construction of 64 leaves one in a hundred out of every search's reach.
  await sql`
    create index concurrently if not exists ${sql.id(name)} on ${sql.table(table)}
    using hnsw ((embedding::${cast}) ${sql.raw(`${type}_cosine_ops`)})
    with (ef_construction = 128)
    where cardinality(embedding) = ${sql.raw(String(dimensions))}`.execute(db);
}

async function stateOf(db: Db, name: string): Promise<'valid' | 'invalid' | 'missing'> {
  const result = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  const [row] = result.rows;
  if (row === undefined) return 'missing';
  return row.valid ? 'valid' : 'invalid';
}
