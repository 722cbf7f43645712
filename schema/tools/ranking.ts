import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** Those of some tools whose names or descriptions have a word of the query, in any of its forms; the best first. */
export async function rankToolsByWords(
  db: Db | Tx,
  toolIds: readonly string[],
  query: string,
): Promise<readonly string[]> {
  // Any of the words is enough; the more of them, the better the rank.
  const { rows } = await sql<{ id: string }>`
    select tools.id from tools,
      cast(replace(plainto_tsquery('english', ${query.replaceAll('_', ' ')})::text, '&', '|') as tsquery) as wanted,
      to_tsvector('english', replace(tools.name, '_', ' ') || ' ' || coalesce(tools.description, '')) as words
    where tools.id = any(${[...toolIds]}) and words @@ wanted
    order by ts_rank(words, wanted) desc, tools.id`.execute(db);
  return rows.map(({ id }) => id);
}
