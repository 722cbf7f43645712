import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from './database.js';
import type { Page } from './paging.js';
import {
  deletePassage,
  type Embedding,
  getPassages,
  inReachOf,
  insertPassages,
  listPassages,
  type NewPassage,
  type Passage,
  type PassageFilter,
  type Reach,
} from './passages.js';
import { findHybrid, madeBetween } from './search.js';
import type { Vectors } from './vectors.js';

/** What to look for in an agent's archival memory. */
export interface PassageSearch {
  readonly agentId: string;
  /** The agent's archives, the files of its sources, or both, as by default. */
  readonly reach?: Reach | undefined;
  /** Empty, and no embedding: the newest that the rest allows. */
  readonly query: string;
  /** The query's. Absent: passages are found by their words alone. */
  readonly embedding?: Embedding | undefined;
  /** The query's by other models: sources may have been embedded by one of their own. */
  readonly otherEmbeddings?: readonly Embedding[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Default 'any'. */
  readonly tagMatch?: 'any' | 'all' | undefined;
  /** Bounds of the passages' creation, both included. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** A passage with its score: comparable within one search, the higher the better. */
export interface FoundPassage {
  readonly passage: Passage;
  readonly score: number;
}

/** Where agents keep what doesn't fit into their context. `search` also reaches the passages of their sources. Every method works inside a transaction too. */
export interface ArchivalStore {
  /** See `insertPassages`. */
  insert(db: Db | Tx, agentId: string, passages: readonly NewPassage[]): Promise<readonly Passage[]>;
  /** The best passages by identifiers, words and vectors together, best first. */
  search(db: Db | Tx, search: PassageSearch): Promise<readonly FoundPassage[]>;
  /** See `listPassages`. */
  list(db: Db | Tx, filter: PassageFilter, page: Page): Promise<readonly Passage[]>;
  /** See `deletePassage`. */
  delete(db: Db | Tx, agentId: string, passageId: string): Promise<void>;
}

/** The store over the database's passages, which finds vectors as this database can. */
export function createArchivalStore(vectors: Vectors): ArchivalStore {
  return {
    insert: insertPassages,
    search: (db, search) => searchPassages(db, vectors, search),
    list: listPassages,
    delete: deletePassage,
  };
}

async function searchPassages(
  db: Db | Tx,
  vectors: Vectors,
  search: PassageSearch,
): Promise<readonly FoundPassage[]> {
  return findPassages(db, vectors, await inReachOf(db, search.agentId, search.reach), search);
}

/** The best passages of which a condition holds, best first. */
export async function findPassages(
  db: Db | Tx,
  vectors: Vectors,
  own: RawBuilder<boolean>,
  search: Omit<PassageSearch, 'agentId' | 'reach'>,
): Promise<readonly FoundPassage[]> {
  const { query: text, embedding, otherEmbeddings, limit } = search;
  const ranked = await findHybrid(db, vectors, {
    table: 'passages',
    text,
    embedding,
    otherEmbeddings,
    within: sql<boolean>`${own} and ${madeBetween('passages', search)} and ${tagged(search)}`,
    limit,
  });
  const passages = await getPassages(
    db,
    ranked.map((entry) => entry.id),
  );
  const scores = new Map(ranked.map((entry) => [entry.id, entry.score]));
  return passages.map((passage) => ({ passage, score: scores.get(passage.id) ?? 0 }));
}

function tagged({
  tags = [],
  tagMatch = 'any',
}: Pick<PassageSearch, 'tags' | 'tagMatch'>): RawBuilder<boolean> {
  if (tags.length === 0) return sql<boolean>`true`;
  return tagMatch === 'all'
    ? sql<boolean>`passages.tags @> ${[...tags]}::text[]`
    : sql<boolean>`passages.tags && ${[...tags]}::text[]`;
}
