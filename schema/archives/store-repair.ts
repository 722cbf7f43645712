import { sql } from 'kysely';
import type { PassageStore } from '../../core/archives/passage-store.js';
import type { Db } from '../db/database.js';
import { dealingsWith } from './store-health.js';

/** How a store differs from the database; `waiting` where that can't be said yet: changes wait to be told, or it was ended. */
export type Comparison =
  { readonly kind: 'compared'; readonly differing: number } | { readonly kind: 'waiting' };

/**
 * Finds what a store lost, or has too much, and writes it down to be told again: who threw its files away begins anew.
 * Compares counts first, so that it costs nothing where all is well. The signal ends it between two ids.
 */
export async function repairStore(db: Db, store: PassageStore, signal?: AbortSignal): Promise<Comparison> {
  const aside = [...dealingsWith(store).refusals.aside()];
  const { rows } = await sql<{ passages: number; waiting: number }>`
    select (select count(*) from passages where archive_id is not null) as passages,
      (select count(*) from passage_feed
        where store = ${store.name} and passage_id <> all(${aside}::text[])) as waiting`.execute(db);
  const { passages = 0, waiting = 0 } = rows[0] ?? {};
  // What waits will be told anyway, and makes the counts differ.
  if (waiting > 0) return { kind: 'waiting' };
  if ((await store.count()) === passages) return { kind: 'compared', differing: 0 };
  const has: string[] = [];
  for await (const id of store.list()) {
    if (signal?.aborted === true) return { kind: 'waiting' };
    has.push(id);
  }
  const { rows: differing } = await sql<{ id: string }>`
    with has as (select unnest(${has}::text[]) as id), wanted as (
      select id, archive_id from passages where archive_id is not null
    )
    insert into passage_feed (store, archive_id, passage_id)
    select ${store.name}, coalesce(wanted.archive_id, ''), coalesce(wanted.id, has.id)
    from wanted full join has on has.id = wanted.id
    where (wanted.id is null or has.id is null) and coalesce(wanted.id, has.id) <> all(${aside}::text[])
    returning passage_id as id`.execute(db);
  return { kind: 'compared', differing: differing.length };
}
