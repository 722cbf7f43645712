import { type Blame, blameStep, endBlame, nextToBlame, startBlame } from '../../core/blocks/blame.js';
import { toLines } from '../../core/blocks/line-diff.js';
import { type BlockRevision, getRevisions, listRevisions } from './revisions.js';
import type { Db, Tx } from '../db/database.js';

/** A line of a block, and the revision that wrote it. */
export interface BlamedLine {
  readonly text: string;
  readonly revision: BlockRevision;
}

/** Revisions read at once on the way back. */
const pageSize = 100;

/** The lines of a revision's value, each with the revision that wrote it. Reads no more revisions than needed. */
export async function blameRevision(db: Db | Tx, revision: BlockRevision): Promise<readonly BlamedLine[]> {
  let page: readonly BlockRevision[] = [];
  let blame: Blame = startBlame(revision);
  // Numbers only decrease, so revisions already read are not needed again.
  for (let next = nextToBlame(blame); next !== undefined && next > 0; next = nextToBlame(blame)) {
    const wanted = next;
    const isNext = (one: BlockRevision): boolean => one.revision === wanted;
    if (!page.some(isNext)) {
      page = await listRevisions(db, revision.blockId, { before: wanted + 1, limit: pageSize });
    }
    const before = page.find(isNext);
    if (before === undefined) break;
    blame = blameStep(blame, before);
  }
  const origins = endBlame(blame);
  const writers = await getRevisions(db, revision.blockId, origins);
  return toLines(revision.value).flatMap((text, index) => {
    const writer = writers.get(origins[index] ?? 0);
    return writer === undefined ? [] : [{ text, revision: writer }];
  });
}
