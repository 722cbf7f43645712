import { sql } from 'kysely';
import { codePoints } from '../../core/blocks/operations.js';
import { attachBlock } from '../blocks/agent-blocks.js';
import { createBlock, type NewBlock } from '../blocks/blocks.js';
import type { Db, Tx } from '../db/database.js';
import type { Moment } from './moments.js';

/** What to copy: from which agent to which, as of which moment. */
export interface AgentCopy {
  readonly from: string;
  readonly to: string;
  readonly moment: Moment;
}

/** A block as an agent had it at a moment: with its value then, and its other fields as they are now. */
export interface PastBlock {
  readonly label: string;
  /** At the moment. */
  readonly value: string;
  readonly limit: number;
  readonly description: string | null;
  readonly readOnly: boolean;
  readonly attachedReadOnly: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly extras: Readonly<Record<string, unknown>>;
}

/** Copies the blocks that an agent had at a moment, with their values then, to another agent. */
export async function copyBlocks(tx: Tx, { from, to, moment }: AgentCopy): Promise<void> {
  for (const { attachedReadOnly, ...block } of await blocksAt(tx, from, moment)) {
    const { id } = await createBlock(tx, asOwn(block));
    await attachBlock(tx, { agentId: to, blockId: id, readOnly: attachedReadOnly });
  }
}

/** The blocks that an agent had at a moment, in the order of its prompt. */
export async function blocksAt(
  db: Db | Tx,
  agentId: string,
  moment: Pick<Moment, 'time'>,
): Promise<readonly PastBlock[]> {
  const { rows } = await sql<PastBlock>`
    with attached as (
      select block_id, label, position, read_only from agent_blocks
      where agent_id = ${agentId} and attached_at <= ${moment.time}::timestamptz
      union all
      select block_id, label, position, read_only from past_attachments
      where agent_id = ${agentId} and attached_at <= ${moment.time}::timestamptz
        and detached_at > ${moment.time}::timestamptz
    )
    select attached.label, ${valueAt(moment)} as value, b.value_limit as "limit", b.description,
      b.read_only as "readOnly", attached.read_only as "attachedReadOnly", b.metadata, b.tags, b.extras
    from attached join blocks b on b.id = attached.block_id
    where ${valueAt(moment)} is not null
    order by attached.position, attached.label`.execute(db);
  return rows;
}

/** What a block said at a moment; null where it did not exist yet. */
export async function valueOfBlockAt(
  db: Db | Tx,
  blockId: string,
  moment: Pick<Moment, 'time'>,
): Promise<string | null> {
  const { rows } = await sql<{ value: string | null }>`
    select ${valueAt(moment)} as value from blocks b where b.id = ${blockId}`.execute(db);
  return rows[0]?.value ?? null;
}

/** Copies a thread's summary with its value at a moment. Returns the copy's id. */
export async function copySummary(tx: Tx, blockId: string | null, moment: Moment): Promise<string | null> {
  const blocks = await sql<Omit<PastBlock, 'attachedReadOnly'>>`
    select b.label, ${valueAt(moment)} as value, b.value_limit as "limit", b.description, b.read_only as "readOnly",
      b.metadata, b.tags, b.extras
    from blocks b where b.id = ${blockId} and ${valueAt(moment)} is not null`.execute(tx);
  const [block] = blocks.rows;
  if (block === undefined) return null;
  return (await createBlock(tx, { ...asOwn(block), author: { actor: 'runtime' } })).id;
}

// The value of `blocks b`; null where the block did not exist yet.
function valueAt(moment: Pick<Moment, 'time'>) {
  return sql<string | null>`(
    select value from block_revisions r where r.block_id = b.id and r.created_at <= ${moment.time}::timestamptz
    order by r.revision desc limit 1)`;
}

// The limit may have been lowered since.
function asOwn(block: Omit<PastBlock, 'attachedReadOnly'>): NewBlock {
  return { ...block, limit: Math.max(block.limit, codePoints(block.value)) };
}
