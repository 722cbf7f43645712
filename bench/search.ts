import { sql } from 'kysely';
import type { Db } from '../schema/db/database.js';
import { insertPassages, ofAgent } from '../schema/archives/passages.js';
import { openVectors } from '../schema/archives/open-vectors.js';
import type { Vectors } from '../schema/archives/vectors.js';
import { exactVectors } from '../schema/archives/vectors-exact.js';
import { makeAgent } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { print, shown, summarise, table } from './figures.js';

const sizes = [1_000, 10_000];
const dimensions = 384;
const topics = 200;
const queries = 40;
const limit = 10;
const batch = 500;
const model = 'bench/vectors';

/** Compares vector search of archival memory by the exact store and by this database's own. */
export async function benchSearch({ stack, database: { db } }: BenchStack): Promise<void> {
  const exact = exactVectors('as the benchmark wants it.');
  const indexed = await openVectors(db);
  const rows: string[][] = [];
  for (const size of sizes) {
    const random = randomNumbers(size);
    const vectors = clustered(size, random);
    const agentId = await makeAgent(stack, 'say');
    await fill(db, agentId, vectors);
    await indexed.prepare(db, 'passages', dimensions);
    await sql`analyze passages`.execute(db);
    const asked = Array.from({ length: queries }, () =>
      near(vectors[Math.floor(random() * size)] ?? [], random),
    );
    const truth = await askAll(db, exact, agentId, asked);
    const found = indexed.kind === 'exact' ? truth : await askAll(db, indexed, agentId, asked);
    rows.push(rowOf(size, 'exact', truth, truth));
    if (indexed.kind !== 'exact') rows.push(rowOf(size, indexed.kind, found, truth));
  }
  print(
    `\n## Search: the ${limit} nearest of an agent's passages, ${dimensions} dimensions, ${topics} topics\n`,
  );
  print(table([['passages', 'store', 'p50 ms', 'p95 ms', `recall@${limit}`], ...rows]));
  print(`\n${indexed.note}`);
}

interface Answers {
  readonly times: readonly number[];
  readonly ids: readonly (readonly string[])[];
}

async function askAll(
  db: Db,
  vectors: Vectors,
  agentId: string,
  asked: readonly number[][],
): Promise<Answers> {
  const within = await ofAgent(db, agentId);
  const times: number[] = [];
  const ids: (readonly string[])[] = [];
  for (const vector of asked) {
    const startedAt = performance.now();
    ids.push(await vectors.nearest(db, { table: 'passages', vector, model, within, limit }));
    times.push(performance.now() - startedAt);
  }
  return { times, ids };
}

function rowOf(size: number, store: string, { times, ids }: Answers, truth: Answers): string[] {
  const { p50, p95 } = summarise(times);
  const hits = ids.map((found, index) => found.filter((id) => truth.ids[index]?.includes(id)).length / limit);
  const recall = hits.reduce((sum, one) => sum + one, 0) / hits.length;
  return [String(size), store, shown(p50), shown(p95), recall.toFixed(3)];
}

async function fill(db: Db, agentId: string, vectors: readonly number[][]): Promise<void> {
  for (let start = 0; start < vectors.length; start += batch) {
    const passages = vectors
      .slice(start, start + batch)
      .map((vector) => ({ text: 'x', embedding: { model, vector } }));
    await insertPassages(db, agentId, passages);
  }
}

/** Numbers in [0, 1) that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Vectors around topics, as those of texts are, each at some distance from its topic. */
function clustered(count: number, random: () => number): number[][] {
  const centres = Array.from({ length: topics }, () =>
    Array.from({ length: dimensions }, () => random() - 0.5),
  );
  return Array.from({ length: count }, (_, index) => near(centres[index % topics] ?? [], random));
}

function near(vector: readonly number[], random: () => number): number[] {
  return vector.map((value) => value + 0.6 * (random() - 0.5));
}
