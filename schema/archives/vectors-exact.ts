import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { NearestQuery, Vectors } from './vectors.js';

/**
 * Compares with every vector. Needs no extension or index and is always exact, but takes some 25 ms per thousand
 * vectors of 384 dimensions.
 */
export function exactVectors(reason: string): Vectors {
  return {
    kind: 'exact',
    note: `Vectors are searched exactly, without an index: ${reason}`,
    prepare: () => Promise.resolve(),
    nearest: nearestExactly,
  };
}

/** Rows held in memory at once. */
const batch = 2_000;

// Compared here rather than in SQL, which takes four times as long.
async function nearestExactly(db: Db | Tx, query: NearestQuery): Promise<readonly string[]> {
  const { table, vector, model, within, limit } = query;
  const candidates = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where ${within} and embedding_model = ${model} and cardinality(embedding) = ${vector.length}`.execute(db);
  const ids = candidates.rows.map((row) => row.id);
  let best: Compared[] = [];
  for (let start = 0; start < ids.length; start += batch) {
    const rows = await sql<{ id: string; stored: Buffer }>`
      select id, array_send(embedding) as stored from ${sql.table(table)}
      where id = any(${ids.slice(start, start + batch)})`.execute(db);
    const compared = rows.rows.map(({ id, stored }) => ({ id, likeness: likeness(stored, vector) }));
    best = [...best, ...compared.filter((each) => !Number.isNaN(each.likeness))]
      .sort(byLikeness)
      .slice(0, limit);
  }
  return best.map((each) => each.id);
}

interface Compared {
  readonly id: string;
  readonly likeness: number;
}

function byLikeness(a: Compared, b: Compared): number {
  return b.likeness - a.likeness || (a.id < b.id ? -1 : 1);
}

/** The binary form of an array: a header of five words, then each element's length and four bytes. */
const headerBytes = 20;
const elementBytes = 8;

/** The cosine times the query's length, which is the same for all rows; NaN for a zero vector. */
function likeness(stored: Buffer, vector: readonly number[]): number {
  if (stored.length !== headerBytes + elementBytes * vector.length) return Number.NaN;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  let dot = 0;
  let square = 0;
  let at = headerBytes + elementBytes / 2;
  for (const value of vector) {
    const element = view.getFloat32(at);
    dot += element * value;
    square += element * element;
    at += elementBytes;
  }
  return dot / Math.sqrt(square);
}
