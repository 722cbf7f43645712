import { type RawBuilder, sql } from 'kysely';
import { WorldFailure } from '../../core/failures.js';
import type { Db } from '../db/database.js';
import { feedStore } from './passage-feed.js';
import type { PassageQuery } from './passage-query.js';
import type { StoreFeed } from './store-feed.js';

/** How long a search waits for the store to take new passages, in ms. */
const feedLimitMs = 30_000;

/** Ids of the archives that an agent has. */
export async function archivesOf(db: Db, agentId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agent_archives')
    .select('archive_id as id')
    .where('agent_id', '=', agentId)
    .execute();
  return rows.map((row) => row.id);
}

/** A search of a user's own store, and the condition on rows that its answer may name. */
export interface StoreSearch {
  readonly search: PassageQuery;
  /** Null: all. */
  readonly archiveIds: readonly string[] | null;
  readonly within: RawBuilder<boolean>;
}

/**
 * The ids that a store finds by meaning, best first. Recorded changes are fed to the store first, so that new
 * passages are found. Ids whose row is missing or does not match are dropped. Throws WorldFailure
 * 'Archive.Unavailable' where feeding takes too long.
 */
export async function findInStore(
  db: Db,
  feed: StoreFeed,
  { search, archiveIds, within }: StoreSearch,
): Promise<readonly string[]> {
  if (archiveIds?.length === 0) return [];
  const signal = AbortSignal.timeout(feedLimitMs);
  await feedStore(db, feed, { archiveIds: archiveIds ?? undefined, signal });
  if (signal.aborted) throw behind();
  const found = await feed.store.search({
    archiveIds,
    text: search.query,
    embedding: search.embedding ?? null,
    tags: search.tags ?? [],
    tagMatch: search.tagMatch ?? 'any',
    from: search.from ?? null,
    to: search.to ?? null,
    limit: search.limit,
  });
  const { rows } = await sql<{ id: string }>`
    select id from passages where id = any(${[...found]}::text[]) and ${within}`.execute(db);
  const meant = new Set(rows.map((row) => row.id));
  return [...new Set(found)].filter((id) => meant.has(id));
}

function behind(): WorldFailure {
  const message =
    'The archival store is still taking in new passages. Wait a minute, and send the request again.';
  return new WorldFailure('Archive.Unavailable', message, { retryable: true });
}
