import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { RefinementConflictError, RefinementNotFoundError, RefinementStateError } from './errors.js';
import { closeBranch, listBranches } from '../blocks/branches.js';
import { type Meeting, meetAll, toConflict, writeMerged } from './merging.js';
import { dropHeldPassages, storeHeldPassages } from './passages.js';
import { lockRefinement, type Refinement } from './refinements.js';

/**
 * Merges the edits of a refinement in review. `values` has texts, by block id, for blocks that can't be merged
 * automatically. Throws RefinementNotFoundError, RefinementStateError, and RefinementConflictError where a value is
 * missing or a block refuses one; then nothing is merged.
 */
export async function approveRefinement(
  db: Db,
  refinementId: string,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const refinement = await lockInReview(tx, refinementId);
    const meetings = (await meetAll(tx, refinement)).map((meeting): Meeting => {
      const given = values[meeting.branch.blockId];
      return given === undefined ? meeting : { ...meeting, value: given, problem: null };
    });
    refuse(refinementId, meetings);
    await end(tx, refinementId, 'completed');
    const written: Meeting[] = [];
    for (const meeting of meetings)
      written.push({ ...meeting, problem: await writeMerged(tx, refinement, meeting) });
    refuse(refinementId, written);
    await storeHeldPassages(tx, refinement);
  });
}

/** Throws RefinementConflictError where any has a problem. */
function refuse(refinementId: string, meetings: readonly Meeting[]): void {
  const inTrouble = meetings.filter(({ problem }) => problem !== null);
  if (inTrouble.length === 0) return;
  throw new RefinementConflictError(
    refinementId,
    inTrouble.map((meeting) => ({ blockId: meeting.branch.blockId, ...toConflict(meeting) })),
  );
}

/** Rejects the edits of a refinement. Throws RefinementNotFoundError and RefinementStateError. */
export async function rejectRefinement(db: Db, refinementId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockInReview(tx, refinementId);
    await end(tx, refinementId, 'rejected');
    await dropHeldPassages(tx, refinementId);
    for (const { blockId } of await listBranches(tx, refinementId)) {
      await closeBranch(tx, refinementId, {
        blockId,
        state: 'dropped',
        note: 'Rejected.',
        mergedRevision: null,
      });
    }
  });
}

async function lockInReview(tx: Tx, refinementId: string): Promise<Refinement> {
  const refinement = await lockRefinement(tx, refinementId);
  if (refinement === undefined) throw new RefinementNotFoundError(refinementId);
  if (refinement.state !== 'in_review') throw new RefinementStateError(refinementId, refinement.state);
  return refinement;
}

async function end(tx: Tx, refinementId: string, state: 'completed' | 'rejected'): Promise<void> {
  await sql`update refinements set state = ${state} where id = ${refinementId}`.execute(tx);
}
