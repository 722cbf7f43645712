import { sql } from 'kysely';
import type { Db } from '../db/database.js';

/**
 * Ids of the agents that have every tag of `all` and at least one of `some` (if any are given), oldest first, without
 * `except`.
 */
export async function agentsByTags(
  db: Db,
  wanted: { readonly all: readonly string[]; readonly some: readonly string[]; readonly except: string },
): Promise<readonly string[]> {
  const { all, some, except } = { ...wanted, all: [...new Set(wanted.all)], some: [...wanted.some] };
  const result = await sql<{ id: string }>`
    select a.id from agents a
    cross join lateral (select array(select tag from agent_tags where agent_id = a.id) as tags) t
    where a.deleted_at is null and a.id <> ${except}
      and t.tags @> ${all}::text[] and (cardinality(${some}::text[]) = 0 or t.tags && ${some}::text[])
    order by a.created_at, a.id`.execute(db);
  return result.rows.map(({ id }) => id);
}
