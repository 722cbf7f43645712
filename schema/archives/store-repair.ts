import { sql } from 'kysely';
import type { Db } from '../db/database.js';
import type { StoreFeed } from './store-feed.js';

/**
 * The differences between a store and the database. `waiting`: unknown, because changes are still waiting to be fed
 * or the comparison was stopped.
 */
export type Comparison =
  { readonly kind: 'compared'; readonly differing: number } | { readonly kind: 'waiting' };

/**
 * Finds passages that a store lacks or has too many, and records them to be fed again, for example after its files
 * were lost. Compares counts first, so it is cheap where nothing differs. The signal stops it between two ids.
 */
export async function repairStore(
  db: Db,
  { store, refusals }: StoreFeed,
  signal?: AbortSignal,
): Promise<Comparison> {
  const aside = [...refusals.aside()];
  const { rows } = await sql<{ passages: number; waiting: number }>`
    select (select count(*) from passages where archive_id is not null) as passages,
      (select count(*) from passage_feed
        where store = ${store.name} and passage_id <> all(${aside}::text[])) as waiting`.execute(db);
  const { passages = 0, waiting = 0 } = rows[0] ?? {};
  // Waiting changes make the counts differ, and will be fed anyway.
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
