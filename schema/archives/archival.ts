import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { archivesOf, findInStore } from './store-search.js';
import type { Page } from '../db/paging.js';
import { editPassage, type PassageEdit } from './passage-edits.js';
import {
  deletePassage,
  getPassages,
  inReachOf,
  insertPassages,
  listPassages,
  type NewPassage,
  type Passage,
  type PassageFilter,
  type Reach,
} from './passages.js';
import { type PassageQuery, tagged } from './passage-query.js';
import { findByVectors, findHybrid, madeBetween } from './search.js';
import type { StoreFeed } from './store-feed.js';
import type { Vectors } from './vectors.js';

/** A search of an agent's archival memory. */
export interface PassageSearch extends PassageQuery {
  readonly agentId: string;
  /** Whether to search the agent's archives, its files, or both (the default). */
  readonly reach?: Reach | undefined;
}

/** A search of one archive, or of all that don't belong to a deleted agent. */
export interface GlobalPassageSearch extends PassageQuery {
  readonly archiveId?: string | undefined;
}

/** A passage with its score. Scores are comparable within one search; higher is better. */
export interface FoundPassage {
  readonly passage: Passage;
  readonly score: number;
}

/** Archival memory. Writes may run in a transaction. Searches must not, because they may call a user's own store. */
export interface ArchivalStore {
  /** See `insertPassages`. */
  insert(db: Db | Tx, agentId: string, passages: readonly NewPassage[]): Promise<readonly Passage[]>;
  /**
   * The best passages by identifiers, words and meaning, best first, including those of the agent's files. Throws
   * WorldFailure 'Archive.Unavailable' where a user's own store does not answer.
   */
  search(db: Db, search: PassageSearch): Promise<readonly FoundPassage[]>;
  /** The same for the passages of archives, whichever agents have them. */
  searchAll(db: Db, search: GlobalPassageSearch): Promise<readonly FoundPassage[]>;
  /** See `listPassages`. */
  list(db: Db | Tx, filter: PassageFilter, page: Page): Promise<readonly Passage[]>;
  /** See `editPassage`. */
  edit(
    db: Db | Tx,
    passage: { readonly agentId: string; readonly passageId: string },
    edit: PassageEdit,
  ): Promise<Passage>;
  /** See `deletePassage`. */
  delete(db: Db | Tx, agentId: string, passageId: string): Promise<void>;
}

/** What finds passages by meaning. */
interface Finders {
  readonly vectors: Vectors;
  /** A user's own store, for passages of archives. Passages of files always use `vectors`. */
  readonly own: StoreFeed | undefined;
}

/**
 * Creates archival memory over the database's passages. The user's own store, if there is one, finds passages by
 * meaning; else the database does.
 */
export function createArchivalStore(vectors: Vectors, own?: StoreFeed): ArchivalStore {
  const finders = { vectors, own };
  return {
    insert: insertPassages,
    search: (db, search) => searchOfAgent(db, finders, search),
    searchAll: (db, search) => searchOfAll(db, finders, search),
    list: listPassages,
    edit: editPassage,
    delete: deletePassage,
  };
}

async function searchOfAgent(
  db: Db,
  finders: Finders,
  search: PassageSearch,
): Promise<readonly FoundPassage[]> {
  const { agentId, reach = 'all' } = search;
  const within = await inReachOf(db, agentId, reach);
  const archiveIds = reach === 'files' ? [] : await archivesOf(db, agentId);
  const files = reach === 'archives' ? undefined : await inReachOf(db, agentId, 'files');
  return findPassages(db, finders, search, { within, archiveIds, files });
}

async function searchOfAll(
  db: Db,
  finders: Finders,
  search: GlobalPassageSearch,
): Promise<readonly FoundPassage[]> {
  const { archiveId } = search;
  const within =
    archiveId === undefined
      ? sql<boolean>`passages.archive_id is not null and not exists (
          select from agent_archives join agents on agents.id = agent_archives.agent_id
          where agent_archives.archive_id = passages.archive_id and is_owner and agents.deleted_at is not null)`
      : sql<boolean>`passages.archive_id = ${archiveId}`;
  return findPassages(db, finders, search, {
    within,
    archiveIds: archiveId === undefined ? null : [archiveId],
    files: undefined,
  });
}

/**
 * The passages to search: those of archives, which a user's own store knows, and those of files, which it doesn't.
 */
interface Place {
  readonly within: RawBuilder<boolean>;
  /** Null: all. */
  readonly archiveIds: readonly string[] | null;
  readonly files: RawBuilder<boolean> | undefined;
}

async function findPassages(
  db: Db,
  { vectors, own }: Finders,
  search: PassageQuery,
  place: Place,
): Promise<readonly FoundPassage[]> {
  const { query: text, embedding, otherEmbeddings, limit } = search;
  const narrowed = (where: RawBuilder<boolean>): RawBuilder<boolean> =>
    sql<boolean>`${where} and ${madeBetween('passages', search)} and ${tagged(search)}`;
  const asked = { table: 'passages', text, embedding, otherEmbeddings } as const;
  const byOwn =
    own === undefined
      ? undefined
      : async (depth: number): Promise<readonly (readonly string[])[]> => {
          const { archiveIds, files } = place;
          const deep = { ...search, limit: depth };
          const kept = await findInStore(db, own, {
            search: deep,
            archiveIds,
            within: narrowed(place.within),
          });
          if (files === undefined) return [kept];
          const read = { ...asked, within: narrowed(files), limit: depth };
          return [kept, ...(await findByVectors(db, vectors, read))];
        };
  const ranked = await findHybrid(db, vectors, {
    ...asked,
    within: narrowed(place.within),
    limit,
    byMeaning: byOwn,
  });
  const passages = await getPassages(
    db,
    ranked.map((entry) => entry.id),
  );
  const scores = new Map(ranked.map((entry) => [entry.id, entry.score]));
  return passages.map((passage) => ({ passage, score: scores.get(passage.id) ?? 0 }));
}
