import { sql } from 'kysely';
import type { KeptPassage, PassageStore } from '../core/passage-store.js';
import { type Db, inTransaction } from './database.js';

/** Passages that a store is told of in one go. */
const batch = 200;

/**
 * Makes a store one that is told of passages: from here on the database writes down for it what comes and goes. One that
 * is new to this database has everything before it. Harmless when repeated, also by several processes at once.
 */
export async function registerStore(db: Db, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
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

/**
 * Tells a store what it does not know yet of these archives, in the order of its happening; of all where none are named.
 * What was told is forgotten only afterwards: a break in between tells it again. Returns how many changes it told.
 */
export async function feedStore(
  db: Db,
  store: PassageStore,
  archiveIds?: readonly string[],
): Promise<number> {
  let told = 0;
  for (const archiveId of await archivesToFeed(db, store.name, archiveIds)) {
    told += await feedArchive(db, store, archiveId);
  }
  return told;
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

/**
 * One process at a time feeds an archive: two would overtake each other, and what one deletes the other would put back.
 * By a session's lock and no transaction: what waits for the world must not hold rows.
 */
async function feedArchive(db: Db, store: PassageStore, archiveId: string): Promise<number> {
  return db.connection().execute(async (session) => {
    const lock = sql`hashtextextended(${`${store.name} ${archiveId}`}, 0)`;
    await sql`select pg_advisory_lock(${lock})`.execute(session);
    try {
      let told = 0;
      for (;;) {
        const changes = await tellSome(session, store, archiveId);
        told += changes;
        if (changes < batch) return told;
      }
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(session);
    }
  });
}

async function tellSome(db: Db, store: PassageStore, archiveId: string): Promise<number> {
  const { rows: changes } = await sql<{ seq: number; passageId: string }>`
    select seq, passage_id as "passageId" from passage_feed
    where store = ${store.name} and archive_id = ${archiveId} order by seq limit ${batch}`.execute(db);
  if (changes.length === 0) return 0;
  const ids = [...new Set(changes.map((change) => change.passageId))];
  // As they are now, whatever the change was: a passage that came and went is gone.
  const passages = await keptPassages(db, ids);
  const there = new Set(passages.map((passage) => passage.id));
  const gone = ids.filter((id) => !there.has(id));
  if (gone.length > 0) await store.delete(gone);
  if (passages.length > 0) await store.insert(passages);
  await sql`
    delete from passage_feed where seq = any(${changes.map((change) => change.seq)}::bigint[])`.execute(db);
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

/**
 * Finds what a store lost, or has too much, and writes it down to be told again: who threw its files away begins anew.
 * Compares counts first, so that it costs nothing where all is well. Returns how many passages differ.
 */
export async function repairStore(db: Db, store: PassageStore): Promise<number> {
  const { rows } = await sql<{ passages: number; waiting: number }>`
    select (select count(*) from passages where archive_id is not null) as passages,
      (select count(*) from passage_feed where store = ${store.name}) as waiting`.execute(db);
  const { passages = 0, waiting = 0 } = rows[0] ?? {};
  // What waits will be told anyway, and makes the counts differ.
  if (waiting > 0 || (await store.count()) === passages) return 0;
  const has: string[] = [];
  for await (const id of store.list()) has.push(id);
  const { rows: differing } = await sql<{ id: string }>`
    with has as (select unnest(${has}::text[]) as id), wanted as (
      select id, archive_id from passages where archive_id is not null
    )
    insert into passage_feed (store, archive_id, passage_id)
    select ${store.name}, coalesce(wanted.archive_id, ''), coalesce(wanted.id, has.id)
    from wanted full join has on has.id = wanted.id where wanted.id is null or has.id is null
    returning passage_id as id`.execute(db);
  return differing.length;
}
