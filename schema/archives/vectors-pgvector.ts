import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { plannedAnew } from '../db/prepared-names.js';
import { createLargeResults, type LargeResults } from './large-results.js';
import { ensureVectorIndex, indexedType } from './vector-indexes.js';
import type { NearestQuery, Vectors } from './vectors.js';

/**
 * Up to this many rows are compared one by one, which is as fast as the index. A small archive among millions of
 * other agents' rows is thus searched in full.
 */
const exactUpTo = 5_000;
/**
 * How many candidates an index scan keeps. Of 200,000 vectors it finds all of the ten nearest so, and 99 % with 200.
 */
const candidates = 400;
/** Where a filter drops nearly all rows, the scan stops here. */
const mostScanned = 100_000;

/** Vectors by pgvector: an HNSW index for each size, and exact comparison where few rows match. */
export function pgvectorVectors(version: string, options: { readonly exactUpTo?: number } = {}): Vectors {
  const threshold = options.exactUpTo ?? exactUpTo;
  const many = createLargeResults();
  return {
    kind: 'pgvector',
    note: `Vectors are searched by pgvector ${version}.`,
    prepare: ensureVectorIndex,
    nearest: async (db, query) => {
      if (indexedType(query.vector.length) === undefined) return nearestByComparison(db, query);
      if (await areFew(db, query, { threshold, many })) return nearestByComparison(db, query);
      const found = await nearestByIndex(db, query);
      return found.length < query.limit ? nearestByComparison(db, query) : found;
    },
  };
}

async function areFew(
  db: Db | Tx,
  query: NearestQuery,
  { threshold, many }: { readonly threshold: number; readonly many: LargeResults },
): Promise<boolean> {
  const rows = sql<{ count: number }>`${sql.raw(plannedAnew)}
    select count(*) from (
      select 1 from ${sql.table(query.table)} where ${matching(query)} limit ${threshold + 1}
    ) as candidates`;
  // Counting costs as much as searching, so a large count is remembered for a while.
  const counted = rows.compile(db);
  if (many.has(counted)) return false;
  const result = await db.executeQuery(counted);
  if ((result.rows[0]?.count ?? 0) <= threshold) return true;
  many.add(counted);
  return false;
}

async function nearestByComparison(db: Db | Tx, query: NearestQuery): Promise<readonly string[]> {
  // Adding zero keeps the planner from using an index that leaves rows out.
  const result = await sql<{ id: string }>`${sql.raw(plannedAnew)}
    select id from (
      select id, (${distance(query, 'vector')}) + 0 as distance from ${sql.table(query.table)} where ${matching(query)}
    ) as compared
    where distance <> 'NaN' order by distance, id limit ${query.limit}`.execute(db);
  return result.rows.map((row) => row.id);
}

async function nearestByIndex(db: Db | Tx, query: NearestQuery): Promise<readonly string[]> {
  const type = indexedType(query.vector.length) ?? 'vector';
  return inTransaction(db, async (tx) => {
    await sql`
      select set_config('hnsw.ef_search', ${String(Math.max(candidates, query.limit * 2))}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true),
        set_config('hnsw.max_scan_tuples', ${String(mostScanned)}, true)`.execute(tx);
    // A relaxed scan returns rows nearly in order, so they are sorted again.
    const result = await sql<{ id: string }>`${sql.raw(plannedAnew)}
      with found as materialized (
        select id, ${distance(query, type)} as distance from ${sql.table(query.table)} where ${matching(query)}
        order by ${distance(query, type)} limit ${query.limit}
      )
      select id from found order by distance, id`.execute(tx);
    return result.rows.map((row) => row.id);
  });
}

// The size is a literal rather than a parameter, so that the planner can use the partial index.
function matching({ within, model, vector }: NearestQuery): RawBuilder<boolean> {
  const size = sql.raw(String(vector.length));
  return sql<boolean>`${within} and embedding_model = ${model} and cardinality(embedding) = ${size}`;
}

function distance({ vector }: NearestQuery, type: 'vector' | 'halfvec'): RawBuilder<number> {
  const cast = sql.raw(`${type}(${vector.length})`);
  return sql<number>`embedding::${cast} <=> ${[...vector]}::real[]::${cast}`;
}
