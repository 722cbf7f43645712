import { type RawBuilder, sql } from 'kysely';
import { type FoundPassage, findPassages, type PassageSearch } from './archival.js';
import type { Db, Tx } from './database.js';
import type { Vectors } from './vectors.js';

/** What to look for in one archive, or in all that belong to no deleted agent. */
export interface GlobalPassageSearch extends Omit<PassageSearch, 'agentId' | 'reach'> {
  readonly archiveId?: string | undefined;
}

/** The best passages whoever has them, by identifiers, words and vectors together, best first. */
export async function searchAllPassages(
  db: Db | Tx,
  vectors: Vectors,
  search: GlobalPassageSearch,
): Promise<readonly FoundPassage[]> {
  const within: RawBuilder<boolean> =
    search.archiveId === undefined
      ? sql<boolean>`passages.archive_id is not null and not exists (
          select from agent_archives join agents on agents.id = agent_archives.agent_id
          where agent_archives.archive_id = passages.archive_id and is_owner and agents.deleted_at is not null)`
      : sql<boolean>`passages.archive_id = ${search.archiveId}`;
  return findPassages(db, vectors, within, search);
}
