import { sql } from 'kysely';
import { applyOperation } from '../../core/blocks/operations.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import type { RefinementSettings } from '../../core/groups/groups.js';
import { refusalToGut } from '../../core/refinement/refinement.js';
import type { Author } from './authors.js';
import { type ChangeOutcome, isReadOnlyFor } from './writing.js';
import { requireBlock } from './blocks.js';
import type { Db, Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

/** A block's value on a refinement's branch. */
export interface Branch {
  readonly blockId: string;
  readonly label: string;
  /** The block when the branch began. */
  readonly baseRevision: number;
  readonly baseValue: string;
  readonly value: string;
  readonly state: 'open' | 'merged' | 'dropped';
  readonly note: string | null;
  readonly mergedRevision: number | null;
}

interface Edit extends Author {
  readonly blockId: string;
  readonly operation: BlockOperation;
  /** The refinement of the author's turn; null: none. Absent: it is looked up. */
  readonly refinement?: Running | null | undefined;
}

/**
 * Applies the edit to the branch of the refinement that the author's turn belongs to; undefined where it belongs to
 * none. The editor may be the partner or a tool of it that calls back. The block itself is unchanged. Edits that
 * would empty or gut the block are refused.
 */
export async function changeOnBranch(tx: Tx, edit: Edit): Promise<ChangeOutcome | undefined> {
  const refinement = edit.refinement === undefined ? await refinementOf(tx, edit) : edit.refinement;
  if (refinement == null) return undefined;
  const block = await requireBlock(tx, edit.blockId);
  const branch = await openBranch(tx, refinement.id, edit.blockId);
  const before = branch ?? { value: block.value, baseValue: block.value, baseRevision: block.revision };
  const current = { ...block, value: before.value, revision: before.baseRevision };
  const readOnly = block.readOnly || (await isReadOnlyFor(tx, edit));
  const outcome = applyOperation({ ...current, readOnly }, ofOneWriter(edit.operation));
  if (!outcome.ok) return { ...outcome, block: current };
  const value = storable(outcome.value);
  const { minKeptShare } = refinement.settings;
  const refusal = refusalToGut({ label: block.label, before: before.baseValue, after: value, minKeptShare });
  if (refusal !== null) return { ok: false, code: 'gutted', message: refusal, block: current };
  await saveBranch(tx, refinement.id, { blockId: block.id, ...before, value });
  return { ok: true, block: { ...current, value } };
}

// A branch has a single writer, which has seen all of it. The merge handles changes of the block by others.
function ofOneWriter(operation: BlockOperation): BlockOperation {
  return operation.kind === 'rewrite' ? { kind: 'set', value: operation.value } : operation;
}

/** A running refinement. */
export interface Running {
  readonly id: string;
  /** The agent whose memory is refined. */
  readonly agentId: string;
  readonly settings: RefinementSettings;
}

/** The running refinement that the author's turn belongs to. */
export async function refinementOf(
  db: Db | Tx,
  { turnId }: Pick<Author, 'turnId'>,
): Promise<Running | undefined> {
  if (turnId == null) return undefined;
  const { rows } = await sql<Running>`
    select f.id, f.agent_id as "agentId", f.settings from turns t join refinements f on f.id = t.options->>'refinement'
    where t.id = ${turnId} and f.state = 'running'`.execute(db);
  return rows[0];
}

/**
 * Blocks as an author's edits find them: in a refinement's turn with the values of its branches. A tool that reads a
 * block and writes it back thus keeps what the same turn wrote before.
 */
export async function asEditedBy(
  db: Db | Tx,
  reader: Pick<Author, 'turnId'>,
): Promise<(block: Block) => Block> {
  const refinement = await refinementOf(db, reader);
  const branches = refinement === undefined ? [] : await listBranches(db, refinement.id);
  const values = new Map(branches.map(({ blockId, value }) => [blockId, value]));
  return (block) => ({ ...block, value: values.get(block.id) ?? block.value });
}

async function openBranch(tx: Tx, refinementId: string, blockId: string): Promise<Branch | undefined> {
  return (await listBranches(tx, refinementId)).find((branch) => branch.blockId === blockId);
}

/** Writes a branch of the block's current revision. It replaces an earlier branch of the same block. */
export async function saveBranch(
  tx: Tx,
  refinementId: string,
  branch: Pick<Branch, 'blockId' | 'baseRevision' | 'baseValue' | 'value'>,
): Promise<void> {
  const columns = {
    base_revision: branch.baseRevision,
    base_value: branch.baseValue,
    value: branch.value,
    state: 'open' as const,
  };
  await tx
    .insertInto('refinement_branches')
    .values({ refinement_id: refinementId, block_id: branch.blockId, ...columns })
    .onConflict((conflict) => conflict.columns(['refinement_id', 'block_id']).doUpdateSet(columns))
    .execute();
}

/** Records the outcome of a branch. */
export async function closeBranch(
  tx: Tx,
  refinementId: string,
  branch: Pick<Branch, 'blockId' | 'note' | 'mergedRevision'> & { readonly state: 'merged' | 'dropped' },
): Promise<void> {
  await tx
    .updateTable('refinement_branches')
    .set({ state: branch.state, note: branch.note, merged_revision: branch.mergedRevision })
    .where('refinement_id', '=', refinementId)
    .where('block_id', '=', branch.blockId)
    .execute();
}

/** The branches of a refinement, in the order in which their blocks are locked. */
export async function listBranches(db: Db | Tx, refinementId: string): Promise<readonly Branch[]> {
  const { rows } = await sql<Branch>`
    select r.block_id as "blockId", b.label, r.base_revision as "baseRevision", r.base_value as "baseValue", r.value,
      r.state, r.note, r.merged_revision as "mergedRevision"
    from refinement_branches r join blocks b on b.id = r.block_id
    where r.refinement_id = ${refinementId} order by r.block_id`.execute(db);
  return rows;
}
