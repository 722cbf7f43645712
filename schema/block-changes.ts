import { type Selectable, sql } from 'kysely';
import { applyOperation, type RefusalCode } from '../core/block-operations.js';
import type { Block, BlockOperation } from '../core/blocks.js';
import { type Author, authorColumns } from './authors.js';
import { toBlock } from './blocks.js';
import { type Db, inTransaction, type Tx } from './database.js';
import { BlockNotFoundError } from './errors.js';
import { storable, toJson } from './storable.js';
import type { BlocksTable } from './tables.js';

/** A change of a block's value, and who makes it. */
export interface BlockChange extends Author {
  readonly blockId: string;
  readonly operation: BlockOperation;
  /** The revision that the caller read; another one now is a conflict. Absent: whatever was there. */
  readonly ifRevision?: number | undefined;
}

/** The block after the change; or as it is, with why it was refused, written for a model. */
export type ChangeOutcome =
  | { readonly ok: true; readonly block: Block }
  | { readonly ok: false; readonly code: RefusalCode; readonly message: string; readonly block: Block };

/**
 * Changes a block's value. Promises:
 * 1. The operation is applied to the value as it is under the row's lock: no change of another writer is lost.
 * 2. Value and revision are written together, or nothing is.
 * 3. The same `effectId` again changes nothing and gives the first outcome.
 * 4. A block that is read-only, by itself or for this agent, refuses agents and sleep-time; it lets others write.
 * Throws BlockNotFoundError.
 */
export async function changeBlock(db: Db | Tx, change: BlockChange): Promise<ChangeOutcome> {
  return inTransaction(db, async (tx) => {
    // Run in this order: what is read beside the block is read under its lock.
    const [row, earlier, readOnlyForAgent] = await Promise.all([
      lockBlock(tx, change.blockId),
      earlierRevision(tx, change),
      isReadOnlyFor(tx, change),
    ]);
    if (earlier !== undefined) return { ok: true, block: { ...toBlock(row), ...earlier } };
    const current = toBlock(row);
    if (change.ifRevision !== undefined && change.ifRevision !== current.revision) {
      return {
        ok: false,
        code: 'conflict',
        message: conflictMessage(current, change.ifRevision),
        block: current,
      };
    }
    const readOnly = isByAgent(change) && (current.readOnly || readOnlyForAgent);
    const outcome = applyOperation({ ...current, readOnly }, change.operation);
    if (!outcome.ok) return { ...outcome, block: current };
    return { ok: true, block: await writeRevision(tx, current, change, storable(outcome.value)) };
  });
}

async function lockBlock(tx: Tx, blockId: string): Promise<Selectable<BlocksTable>> {
  const row = await tx
    .selectFrom('blocks')
    .selectAll()
    .where('id', '=', blockId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new BlockNotFoundError({ blockId });
  return row;
}

async function earlierRevision(
  tx: Tx,
  change: BlockChange,
): Promise<Pick<Block, 'value' | 'revision' | 'updatedAt'> | undefined> {
  if (change.effectId == null) return undefined;
  const revision = await tx
    .selectFrom('block_revisions')
    .select(['revision', 'value', 'created_at'])
    .where('effect_id', '=', change.effectId)
    .where('block_id', '=', change.blockId)
    .executeTakeFirst();
  if (revision === undefined) return undefined;
  return { value: revision.value, revision: revision.revision, updatedAt: revision.created_at };
}

function isByAgent({ actor }: BlockChange): boolean {
  return actor === 'agent' || actor === 'sleep_time';
}

async function isReadOnlyFor(tx: Tx, change: BlockChange): Promise<boolean> {
  if (!isByAgent(change) || change.agentId == null) return false;
  const attached = await tx
    .selectFrom('agent_blocks')
    .select('read_only')
    .where('agent_id', '=', change.agentId)
    .where('block_id', '=', change.blockId)
    .executeTakeFirst();
  return attached?.read_only === true;
}

async function writeRevision(tx: Tx, current: Block, change: BlockChange, value: string): Promise<Block> {
  const revision = current.revision + 1;
  const [row] = await Promise.all([
    tx
      .updateTable('blocks')
      .set({ value, revision, updated_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirstOrThrow(),
    tx
      .insertInto('block_revisions')
      .values({
        block_id: current.id,
        revision,
        operation: toJson(change.operation),
        value,
        created_at: sql<Date>`(select updated_at from blocks where id = ${current.id})`,
        ...authorColumns(change),
      })
      .execute(),
  ]);
  return toBlock(row);
}

function conflictMessage(block: Block, read: number): string {
  return `Memory block \`${block.label}\` was changed by somebody else: you read revision ${read}, it is at ${block.revision} now. Nothing was written. Its current value is:\n${block.value}\n(End of the current value.) Merge your change into it and write again.`;
}
