import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { KeptPassage } from '../../core/archives/passage-store.js';
import { allowTime, type Db, inSession, inTransaction } from '../db/database.js';
import { insertParts, noteFailed } from './store-inserts.js';
import type { StoreFeed } from './store-feed.js';

/** Passages per call of a store. */
const batch = 200;
/** How many archives a process feeds to a store at once. Each holds a connection, and a store may be slow. */
const mostAtOnce = 2;
/** How often to check whether an archive that another process feeds is free, in ms. */
const pollMs = 50;

/**
 * Registers a store: from now on, triggers record each change of a passage for it. A store that is new to this
 * database also gets all existing passages. Safe to repeat and to run in several processes at once.
 */
export async function registerStore(db: Db, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    const made = await sql`
      insert into passage_stores (name) values (${name}) on conflict do nothing returning name`.execute(tx);
    if (made.rows.length === 0) return;
    // Waits for concurrent writers of passages, which don't know the store yet: their rows must be committed before
    // all are read.
    await sql`lock table passages in share mode`.execute(tx);
    await sql`
      insert into passage_feed (store, archive_id, passage_id)
      select ${name}, archive_id, id from passages where archive_id is not null order by created_at, id`.execute(
      tx,
    );
  });
}

/** What to feed to a store, and for how long. */
export interface Feeding {
  /** Absent: all. */
  readonly archiveIds?: readonly string[] | undefined;
  /** What to do with archives that another process feeds at the moment. Default: wait, without a connection. */
  readonly busy?: 'wait' | 'skip';
  /** Stops between two calls of the store. The rest is fed another time. */
  readonly signal?: AbortSignal;
}

/**
 * Feeds the recorded changes of archives to a store. A change is removed only after the store has taken it, so a
 * crash in between repeats it. An archive that fails does not stop the others; the first failure is thrown at the
 * end. Returns the number of changes fed.
 */
export async function feedStore(db: Db, feed: StoreFeed, feeding: Feeding = {}): Promise<number> {
  const attempts: Promise<number>[] = [];
  for (const archiveId of await archivesToFeed(db, feed.store.name, feeding.archiveIds)) {
    if (feeding.signal?.aborted === true) break;
    const attempt = feedArchive(db, feed, { ...feeding, archiveId });
    attempts.push(attempt);
    await attempt.catch(() => undefined);
  }
  return (await Promise.all(attempts)).reduce((sum, told) => sum + told, 0);
}

async function archivesToFeed(
  db: Db,
  store: string,
  archiveIds: readonly string[] | undefined,
): Promise<readonly string[]> {
  const named = archiveIds === undefined ? sql`true` : sql`archive_id = any(${[...archiveIds]}::text[])`;
  const { rows } = await sql<{ id: string }>`
    select distinct archive_id as id from passage_feed where store = ${store} and ${named}`.execute(db);
  return rows.map((row) => row.id);
}

interface ArchiveFeeding extends Feeding {
  readonly archiveId: string;
}

async function feedArchive(db: Db, feed: StoreFeed, feeding: ArchiveFeeding): Promise<number> {
  for (;;) {
    const told = await tryFeeding(db, feed, feeding);
    if (told !== 'busy') return told;
    if (feeding.busy === 'skip' || feeding.signal?.aborted === true) return 0;
    await delay(pollMs);
  }
}

/**
 * Only one process feeds an archive at a time: two could overtake each other and restore a deleted passage. Uses a
 * session lock rather than a transaction, which would hold rows while the store works. A process that does not get
 * the lock releases its connection and tries again, else a slow store could take up all connections.
 */
async function tryFeeding(db: Db, feed: StoreFeed, feeding: ArchiveFeeding): Promise<number | 'busy'> {
  const { archiveId } = feeding;
  const { store, underWay } = feed;
  if (underWay.size >= mostAtOnce || underWay.has(archiveId)) return 'busy';
  underWay.add(archiveId);
  try {
    return await inSession(db, async (session) => {
      const lock = sql`hashtextextended(${`${store.name} ${archiveId}`}, 0)`;
      const { rows } = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(session);
      if (rows[0]?.isOurs !== true) return 'busy';
      try {
        return await feedAll(session, feed, feeding);
      } finally {
        await sql`select pg_advisory_unlock(${lock})`.execute(session);
      }
    });
  } finally {
    underWay.delete(archiveId);
  }
}

async function feedAll(session: Db, feed: StoreFeed, feeding: ArchiveFeeding): Promise<number> {
  let told = 0;
  while (feeding.signal?.aborted !== true) {
    const changes = await feedBatch(session, feed, feeding);
    told += changes;
    if (changes < batch) break;
  }
  return told;
}

async function feedBatch(db: Db, feed: StoreFeed, feeding: ArchiveFeeding): Promise<number> {
  const { store, refusals } = feed;
  const { rows: changes } = await sql<{ seq: number; passageId: string }>`
    select seq, passage_id as "passageId" from passage_feed
    where store = ${store.name} and archive_id = ${feeding.archiveId}
      and passage_id <> all(${[...refusals.aside()]}::text[])
    order by seq limit ${batch}`.execute(db);
  if (changes.length === 0) return 0;
  const ids = [...new Set(changes.map((change) => change.passageId))];
  // Sends passages as they are now, whatever the change was. A passage that was added and removed is deleted.
  const passages = await keptPassages(db, ids);
  const there = new Set(passages.map((passage) => passage.id));
  const gone = ids.filter((id) => !there.has(id));
  if (gone.length > 0) await store.delete(gone);
  const failed = passages.length > 0 ? await insertParts(store, passages, feeding.signal) : [];
  const failedIds = new Set(failed.map(({ passageId }) => passageId));
  const told = changes.filter((change) => !failedIds.has(change.passageId));
  refusals.took(told.map((change) => change.passageId));
  await sql`
    delete from passage_feed where seq = any(${told.map((change) => change.seq)}::bigint[])`.execute(db);
  noteFailed(feed, failed);
  return changes.length;
}

async function keptPassages(db: Db, ids: readonly string[]): Promise<readonly KeptPassage[]> {
  const { rows } = await sql<
    Omit<KeptPassage, 'embedding'> & { vector: number[] | null; model: string | null }
  >`
    select id, archive_id as "archiveId", words as text, tags, metadata, created_at as "createdAt",
      embedding as vector, embedding_model as model
    from passages where id = any(${[...ids]}::text[]) and archive_id is not null
    order by created_at, id`.execute(db);
  return rows.map(({ vector, model, ...passage }) => ({
    ...passage,
    embedding: vector === null || model === null ? null : { vector, model },
  }));
}
