import { applyOperation } from '../../core/blocks/operations.js';
import type { SeenRevision } from '../../core/blocks/conflicts.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import { getRevision } from './revisions.js';
import { type ChangeOutcome, type Revising, reviseBlock } from './writing.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { changeOnBranch, type Running } from './branches.js';

/** A change of a block's value, with its author. */
export interface BlockChange extends Revising {
  readonly operation: BlockOperation;
  /** The revision that the author saw last. Absent: the author's edit applies to the current value. */
  readonly seenRevision?: number | undefined;
  /** The refinement of the author's turn; null: none. Absent: it is looked up. */
  readonly refinement?: Running | null | undefined;
}

/**
 * Changes a block's value. Keeps the promises of `reviseBlock`, and applies the operation to the current value under
 * the row's lock, so that no other writer's change is lost. In a refinement's turn, it changes the branch. Throws
 * BlockNotFoundError.
 */
export async function changeBlock(db: Db | Tx, change: BlockChange): Promise<ChangeOutcome> {
  return inTransaction(db, async (tx) => (await changeOnBranch(tx, change)) ?? changeItself(tx, change));
}

async function changeItself(tx: Tx, change: BlockChange): Promise<ChangeOutcome> {
  return reviseBlock(tx, change, async (_tx, current) => {
    const seen = await findSeen(tx, current, change);
    const outcome = applyOperation({ ...current, seen }, change.operation);
    return outcome.ok ? { ...outcome, operation: change.operation } : { ...outcome, seen };
  });
}

/** The revision that the author saw, where it is outdated and matters for the operation. */
async function findSeen(tx: Tx, current: Block, change: BlockChange): Promise<SeenRevision | undefined> {
  const { operation, seenRevision } = change;
  if (operation.kind === 'append' || operation.kind === 'set') return undefined;
  const read = operation.kind === 'rewrite' ? operation.base : seenRevision;
  if (read === undefined || read === current.revision) return undefined;
  return getRevision(tx, current.id, read);
}
