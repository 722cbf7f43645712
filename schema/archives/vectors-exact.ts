import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { NearestQuery, Vectors } from './vectors.js';

/** Compares with every vector: no extension, no index, never wrong; some 25 ms for a thousand of 384 dimensions. */
export function exactVectors(reason: string): Vectors {
  return {
    kind: 'exact',
    note: `Vectors are searched exactly, without an index: ${reason}`,
    prepare: () => Promise.resolve(),
    nearest: nearestExactly,
  };
}

/** Rows that are held in memory at once. */
const batch = 2_000;

// Compared here and not in SQL, which takes four times as long for it.
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

/** An array's binary form: a header of five words, then for each element its length and its four bytes. */
const headerBytes = 20;
const elementBytes = 8;

/** The cosine but for the query's own length, which is the same for all; NaN for a vector of zeros. */
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
