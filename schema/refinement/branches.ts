import { sql } from 'kysely';
import { applyOperation } from '../../core/blocks/operations.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import type { RefinementSettings } from '../../core/groups/groups.js';
import { refusalToGut } from '../../core/refinement/refinement.js';
import type { Author } from '../blocks/authors.js';
import { type ChangeOutcome, isReadOnlyFor } from '../blocks/writing.js';
import { requireBlock } from '../blocks/blocks.js';
import type { Db, Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

/** A block's value as a refinement would have it. */
export interface Branch {
  readonly blockId: string;
  readonly label: string;
  /** The block as the branch was begun from it. */
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
  /** The refinement of the author's turn, null where it has none. Absent: it is looked for. */
  readonly refinement?: Running | null | undefined;
}

/**
 * Makes the edit on the branch of the refinement that the author's turn belongs to; undefined where it belongs to
 * none. Who edits, the partner itself or a tool of its that calls back, does not matter. The block itself stays as it is.
 * Edits that would empty or gut the block are refused.
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

// A branch has one writer, which has seen all that it wrote: what others do to the block, the merge will tell.
function ofOneWriter(operation: BlockOperation): BlockOperation {
  return operation.kind === 'rewrite' ? { kind: 'set', value: operation.value } : operation;
}

/** A refinement that runs. */
export interface Running {
  readonly id: string;
  /** Whose memory is refined. */
  readonly agentId: string;
  readonly settings: RefinementSettings;
}

/** The refinement that the author's turn belongs to, while it runs. */
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
 * How somebody's edits find blocks: in a refinement's turn with what its branches say, else as they are. So a tool that reads
 * a block and writes it back keeps what the same turn has written before.
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

/** Writes a branch as it is now; on a block that has one already it takes that one's place. */
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

/** Says what became of a branch. */
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
