import type { Db, Tx } from './database.js';
import { type Page, paged } from './paging.js';
import { type Passage, passageColumns, toPassage } from './passages.js';

/** The passages of a source's files, by file and place, paged. */
export async function listSourcePassages(
  db: Db | Tx,
  sourceId: string,
  page: Page,
): Promise<readonly Passage[]> {
  const query = db.selectFrom('passages').select(passageColumns).where('source_id', '=', sourceId);
  return (await paged('passages', query, page)).map(toPassage);
}
