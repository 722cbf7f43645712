import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { type Page, paged } from '../db/paging.js';
import {
  type Embedding,
  getPassages,
  type Passage,
  passageColumns,
  toPassage,
} from '../archives/passages.js';
import { findHybrid } from '../archives/search.js';
import type { Vectors } from '../archives/vectors.js';

/** The passages of a source's files, by file and place, paged. */
export async function listSourcePassages(
  db: Db | Tx,
  sourceId: string,
  page: Page,
): Promise<readonly Passage[]> {
  const query = db.selectFrom('passages').select(passageColumns).where('source_id', '=', sourceId);
  return (await paged('passages', query, page)).map(toPassage);
}

/** A search in files. */
export interface FileSearch {
  readonly fileIds: readonly string[];
  readonly query: string;
  readonly embedding?: Embedding | undefined;
  readonly otherEmbeddings?: readonly Embedding[] | undefined;
  readonly limit: number;
}

/** The best passages of these files by identifiers, words and vectors, best first. */
export async function searchFilePassages(
  db: Db | Tx,
  vectors: Vectors,
  { fileIds, query, ...search }: FileSearch,
): Promise<readonly Passage[]> {
  const ranked = await findHybrid(db, vectors, {
    table: 'passages',
    text: query,
    within: sql<boolean>`passages.file_id = any(${[...fileIds]}::text[])`,
    ...search,
  });
  return getPassages(
    db,
    ranked.map((entry) => entry.id),
  );
}
