import { type RawBuilder, sql } from 'kysely';
import { fuse, type Ranked, type Weighed } from '../../core/archives/search.js';
import type { Db, Tx } from '../db/database.js';
import { findByIdentifiers, findByWords } from './lexical.js';
import type { Embedding } from './passages.js';
import type { Vectors, VectorTable } from './vectors.js';

/** What to look for, by words and by meaning at once. */
export interface HybridQuery {
  readonly table: VectorTable;
  readonly text: string;
  /** The text's embedding; absent: it is looked for by its words alone. */
  readonly embedding?: Embedding | undefined;
  /** The text's by other models, for rows that those embedded. */
  readonly otherEmbeddings?: readonly Embedding[] | undefined;
  readonly within: RawBuilder<boolean>;
  readonly limit: number;
  /** Finds by meaning in place of `vectors`: rankings of ids, each best first. */
  readonly byMeaning?: ((depth: number) => Promise<readonly (readonly string[])[]>) | undefined;
}

/** Of the fusion: how little the first places of a ranking count for more than those after them. */
const flatness = 2;

/**
 * The best rows by identifiers, words and vectors together, best first. Without words and a vector: the newest, all
 * with the same score.
 */
export async function findHybrid(
  db: Db | Tx,
  vectors: Vectors,
  query: HybridQuery,
): Promise<readonly Ranked[]> {
  const { table, text, embedding, within, limit } = query;
  if (text.trim() === '' && embedding === undefined) return newest(db, query);
  const deep = { table, text, within, limit: Math.max(4 * limit, 40) };
  const named = await findByIdentifiers(db, deep);
  const said = await findByWords(db, deep);
  const meant = await (query.byMeaning?.(deep.limit) ?? findByVectors(db, vectors, { ...query, ...deep }));
  // An identifier names its thing, while words only describe it. So a named row counts twice, and so does one with all words.
  const words = said.map(({ id, share }) => ({ id, weight: 2 * share }));
  const bare = await withoutVector(db, words, query);
  return fuse([named, named, ...meant, words, bare], flatness).slice(0, limit);
}

/**
 * The same ranking with only those in their places that no vector could have found: their words count for both, or all that
 * has its vector would stand before what waits for one.
 */
async function withoutVector(
  db: Db | Tx,
  said: readonly Weighed[],
  { table, embedding, otherEmbeddings = [] }: HybridQuery,
): Promise<readonly (Weighed | undefined)[]> {
  if (embedding === undefined || said.length === 0) return [];
  const models = [embedding, ...otherEmbeddings].map(({ model }) => model);
  const result = await sql<{ id: string }>`
    select id from ${sql.table(table)} where id = any(${said.map(({ id }) => id)}::text[])
      and (embedding_model is null or embedding_model <> all(${models}::text[]))`.execute(db);
  const waiting = new Set(result.rows.map((row) => row.id));
  return said.map((each) => (waiting.has(each.id) ? each : undefined));
}

/** A ranking for each of the query's vectors. */
export async function findByVectors(
  db: Db | Tx,
  vectors: Vectors,
  query: HybridQuery,
): Promise<readonly (readonly string[])[]> {
  const { table, embedding, otherEmbeddings = [], within, limit } = query;
  const meant: (readonly string[])[] = [];
  for (const each of [...(embedding === undefined ? [] : [embedding]), ...otherEmbeddings]) {
    meant.push(await vectors.nearest(db, { table, within, limit, ...each }));
  }
  return meant;
}

async function newest(db: Db | Tx, { table, within, limit }: HybridQuery): Promise<readonly Ranked[]> {
  const result = await sql<{ id: string }>`
    select id from ${sql.table(table)} where ${within} order by created_at desc, id desc limit ${limit}`.execute(
    db,
  );
  return result.rows.map((row) => ({ id: row.id, score: 0 }));
}

/** The condition that a row of the table was made between two moments, both included; absent: no bound. */
export function madeBetween(
  table: VectorTable,
  { from, to }: { readonly from?: Date | undefined; readonly to?: Date | undefined },
): RawBuilder<boolean> {
  const madeAt = sql.ref(`${table}.created_at`);
  return sql<boolean>`${madeAt} >= ${from ?? '-infinity'}::timestamptz and ${madeAt} <= ${to ?? 'infinity'}::timestamptz`;
}
