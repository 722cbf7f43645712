import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { KeptPassage, PassageStore } from '../../core/archives/passage-store.js';
import { allowTime, type Db, inSession, inTransaction } from '../db/database.js';
import { insertParts, noteFailed } from './passage-giving.js';
import { dealingsWith } from './store-health.js';

/** Passages that a store is told of in one go. */
const batch = 200;
/** Archives that a process tells a store of at once: each holds a connection, and a store may be slow. */
const mostAtOnce = 2;
/** How often is looked whether an archive that another tells is free, in ms. */
const pollMs = 50;

/**
 * Makes a store one that is told of passages: from here on the database writes down for it what comes and goes. One that
 * is new to this database has everything before it. Harmless when repeated, also by several processes at once.
 */
export async function registerStore(db: Db, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    const made = await sql`
      insert into passage_stores (name) values (${name}) on conflict do nothing returning name`.execute(tx);
    if (made.rows.length === 0) return;
    // Who is writing passages now did not see the store yet: their rows must be there before all are read.
    await sql`lock table passages in share mode`.execute(tx);
    await sql`
      insert into passage_feed (store, archive_id, passage_id)
      select ${name}, archive_id, id from passages where archive_id is not null order by created_at, id`.execute(
      tx,
    );
  });
}

/** What a store is told of, and for how long. */
export interface Feeding {
  /** Absent: all. */
  readonly archiveIds?: readonly string[] | undefined;
  /** Archives that another tells at the moment. Absent: they are waited for, without a connection. */
  readonly busy?: 'wait' | 'skip';
  /** Ends it between two calls of the store; what is left is told another time. */
  readonly signal?: AbortSignal;
}

/**
 * Tells a store what it does not know yet of archives. What was told is forgotten only afterwards: a break in between tells
 * it again. An archive that fails keeps no other from being told; the first failure is thrown at the end. Returns how many
 * changes it told.
 */
export async function feedStore(db: Db, store: PassageStore, feeding: Feeding = {}): Promise<number> {
  const attempts: Promise<number>[] = [];
  for (const archiveId of await archivesToFeed(db, store.name, feeding.archiveIds)) {
    if (feeding.signal?.aborted === true) break;
    const attempt = feedArchive(db, store, { ...feeding, archiveId });
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

async function feedArchive(db: Db, store: PassageStore, feeding: ArchiveFeeding): Promise<number> {
  for (;;) {
    const told = await tryFeeding(db, store, feeding);
    if (told !== 'busy') return told;
    if (feeding.busy === 'skip' || feeding.signal?.aborted === true) return 0;
    await delay(pollMs);
  }
}

/**
 * One process at a time feeds an archive: two would overtake each other, and what one deletes the other would put back.
 * By a session's lock and no transaction: what waits for the world must not hold rows. Who does not get the lock lets the
 * connection go, and asks again: else a slow store would take all of them.
 */
async function tryFeeding(db: Db, store: PassageStore, feeding: ArchiveFeeding): Promise<number | 'busy'> {
  const { archiveId } = feeding;
  const { underWay } = dealingsWith(store);
  if (underWay.size >= mostAtOnce || underWay.has(archiveId)) return 'busy';
  underWay.add(archiveId);
  try {
    return await inSession(db, async (session) => {
      const lock = sql`hashtextextended(${`${store.name} ${archiveId}`}, 0)`;
      const { rows } = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(session);
      if (rows[0]?.isOurs !== true) return 'busy';
      try {
        return await tellAll(session, store, feeding);
      } finally {
        await sql`select pg_advisory_unlock(${lock})`.execute(session);
      }
    });
  } finally {
    underWay.delete(archiveId);
  }
}

async function tellAll(session: Db, store: PassageStore, feeding: ArchiveFeeding): Promise<number> {
  let told = 0;
  while (feeding.signal?.aborted !== true) {
    const changes = await tellSome(session, store, feeding);
    told += changes;
    if (changes < batch) break;
  }
  return told;
}

async function tellSome(db: Db, store: PassageStore, feeding: ArchiveFeeding): Promise<number> {
  const dealings = dealingsWith(store);
  const { refusals } = dealings;
  const { rows: changes } = await sql<{ seq: number; passageId: string }>`
    select seq, passage_id as "passageId" from passage_feed
    where store = ${store.name} and archive_id = ${feeding.archiveId}
      and passage_id <> all(${[...refusals.aside()]}::text[])
    order by seq limit ${batch}`.execute(db);
  if (changes.length === 0) return 0;
  const ids = [...new Set(changes.map((change) => change.passageId))];
  // As they are now, whatever the change was: a passage that came and went is gone.
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
  noteFailed(dealings, failed);
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
