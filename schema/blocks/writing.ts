import { type Selectable, sql } from 'kysely';
import type { RefusalCode } from '../../core/blocks/operations.js';
import { type SeenRevision, showChange } from '../../core/blocks/conflicts.js';
import type { Block, RevisionOperation } from '../../core/blocks/blocks.js';
import { type Author, authorColumns } from './authors.js';
import { getRevision } from './revisions.js';
import { toBlock } from './blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { BlockNotFoundError } from './errors.js';
import { hint } from '../db/hints.js';
import { storable, toJson } from '../db/storable.js';
import type { BlocksTable } from './tables.js';

/** The channel that announces a block's new revision. The payload is the block's id. */
export const blockChannel = 'perdure_block';

/** The same, for blocks that wake an agent. */
export const wakeChannel = 'perdure_wake';

/** A request to write a block's next revision. */
export interface Revising extends Author {
  readonly blockId: string;
  /** The revision that the caller read. If another one is current, the change is a conflict. Absent: no check. */
  readonly ifRevision?: number | undefined;
}

/** The changed block; or the unchanged one with a refusal for the model. */
export type ChangeOutcome =
  { readonly ok: true; readonly block: Block } | (Refusal & { readonly block: Block });

/** Why an operation was not applied. */
interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  /** What the author read, where that is known and outdated. */
  readonly seen?: SeenRevision | undefined;
}

/** The next value of a block and the operation that made it, or a refusal. */
type Decision =
  { readonly ok: true; readonly value: string; readonly operation: RevisionOperation } | Refusal;

/**
 * Writes a block's next revision, which `decide` computes under the block's lock. Promises:
 * 1. Value and revision are written together or not at all.
 * 2. A repeated `effectId` changes nothing and returns the first outcome.
 * 3. A block that is read-only, itself or for this agent, is read-only only to agents and sleep-time.
 * 4. The times of a block's revisions increase, even if the clock is set back.
 * Throws BlockNotFoundError.
 */
export async function reviseBlock(
  db: Db | Tx,
  revising: Revising,
  decide: (tx: Tx, current: Block) => Promise<Decision>,
): Promise<ChangeOutcome> {
  return inTransaction(db, async (tx) => {
    // Run in this order: the other two read under the block's lock.
    const [current, earlier, readOnlyForAgent] = await Promise.all([
      lockBlock(tx, revising.blockId),
      earlierRevision(tx, revising),
      isReadOnlyFor(tx, revising),
    ]);
    if (earlier !== undefined) return { ok: true, block: { ...current, ...earlier } };
    const { ifRevision = current.revision } = revising;
    if (ifRevision !== current.revision) return staleBase(tx, current, ifRevision);
    const readOnly = isByAgent(revising) && (current.readOnly || readOnlyForAgent);
    const decision = await decide(tx, { ...current, readOnly });
    if (!decision.ok) return { ...decision, block: current };
    return { ok: true, block: await writeRevision(tx, current, revising, decision) };
  });
}

/**
 * Locks a block until the transaction ends. To lock several, take them in the order of their ids, so that writers
 * never deadlock. Throws BlockNotFoundError.
 */
export async function lockBlock(tx: Tx, blockId: string): Promise<Block> {
  const row = await tx
    .selectFrom('blocks')
    .selectAll()
    .where('id', '=', blockId)
    // Rows that only refer to the block, such as seen revisions, can be written meanwhile.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new BlockNotFoundError({ blockId });
  return toBlock(row);
}

async function earlierRevision(
  tx: Tx,
  { effectId, blockId }: Revising,
): Promise<Pick<Block, 'value' | 'revision' | 'updatedAt'> | undefined> {
  if (effectId == null) return undefined;
  const revision = await tx
    .selectFrom('block_revisions')
    .select(['revision', 'value', 'created_at'])
    .where('effect_id', '=', effectId)
    .where('block_id', '=', blockId)
    .executeTakeFirst();
  if (revision === undefined) return undefined;
  return { value: revision.value, revision: revision.revision, updatedAt: revision.created_at };
}

function isByAgent({ actor }: Author): boolean {
  return actor === 'agent' || actor === 'sleep_time';
}

/** Whether the block is read-only for the agent that changes it. */
export async function isReadOnlyFor(tx: Tx, revising: Revising): Promise<boolean> {
  if (!isByAgent(revising) || revising.agentId == null) return false;
  const attached = await tx
    .selectFrom('agent_blocks')
    .select('read_only')
    .where('agent_id', '=', revising.agentId)
    .where('block_id', '=', revising.blockId)
    .executeTakeFirst();
  return attached?.read_only === true;
}

async function staleBase(tx: Tx, block: Block, read: number): Promise<ChangeOutcome> {
  const seen = await getRevision(tx, block.id, read);
  const change = seen === undefined ? '' : showChange(seen, block);
  const message = `Somebody else changed memory block \`${block.label}\`: you read revision ${read}, it is at ${block.revision} now. ${change}Nothing was written. Its current value is:\n${block.value}\n(End of the current value.) Merge your change into it and write again.`;
  return { ok: false, code: 'conflict', message, seen, block };
}

async function writeRevision(
  tx: Tx,
  current: Block,
  author: Author,
  { value, operation }: { readonly value: string; readonly operation: RevisionOperation },
): Promise<Block> {
  const revision = current.revision + 1;
  const written = storable(value);
  const { actor, agent_id, turn_id, step_id, tool_call_id, effect_id } = authorColumns(author);
  // One statement, because each costs an edit as much as the next: the value, its revision, and who wants to be told.
  const { rows } = await sql<Selectable<BlocksTable> & { readonly asking: boolean }>`
    with written as (
      update blocks set value = ${written}, revision = ${revision},
        -- If the clock was set back, a revision still gets a later time than the one before.
        updated_at = greatest(clock_timestamp(), (
          select created_at + interval '1 microsecond' from block_revisions
          where block_id = ${current.id} and revision = ${current.revision}))
      where id = ${current.id}
      returning *
    ), logged as (
      insert into block_revisions (block_id, revision, operation, value, created_at,
        actor, agent_id, turn_id, step_id, tool_call_id, effect_id)
      select id, revision, ${toJson(operation)}::jsonb, value, updated_at,
        ${actor}, ${agent_id}, ${turn_id}, ${step_id}, ${tool_call_id}, ${effect_id}
      from written
    )
    select written.*, exists (select from agent_blocks where block_id = written.id and notify) as asking
    from written`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new BlockNotFoundError({ blockId: current.id });
  hint(tx, blockChannel, current.id);
  if (row.asking) hint(tx, wakeChannel, current.id);
  return toBlock(row);
}
