import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** The tools whose names or descriptions contain a word of the query, in any of its forms, best first. */
export async function rankToolsByWords(
  db: Db | Tx,
  toolIds: readonly string[],
  query: string,
): Promise<readonly string[]> {
  // One word is enough; more words rank higher.
  const { rows } = await sql<{ id: string }>`
    select tools.id from tools,
      cast(replace(plainto_tsquery('english', ${query.replaceAll('_', ' ')})::text, '&', '|') as tsquery) as wanted,
      to_tsvector('english', replace(tools.name, '_', ' ') || ' ' || coalesce(tools.description, '')) as words
    where tools.id = any(${[...toolIds]}) and words @@ wanted
    order by ts_rank(words, wanted) desc, tools.id`.execute(db);
  return rows.map(({ id }) => id);
}
