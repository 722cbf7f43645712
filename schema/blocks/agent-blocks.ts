import { sql } from 'kysely';
import type { Block } from '../../core/blocks/blocks.js';
import { requireAgent } from '../agents/agents.js';
import { requireBlock, toBlock } from './blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { BlockNotFoundError, LabelTakenError } from './errors.js';

/** The agent's blocks in the order of attachment; empty for an unknown agent. */
export async function listAgentBlocks(db: Db | Tx, agentId: string): Promise<readonly Block[]> {
  return (await blocksOfAgents(db, [agentId])).map(({ block }) => block);
}

/** The blocks of several agents in one query, each agent's in the order of attachment. */
export async function blocksOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<readonly { readonly agentId: string; readonly block: Block }[]> {
  const rows = await attachedBlocks(db)
    .where('agent_blocks.agent_id', '=', sql<string>`any(${[...agentIds]})`)
    .orderBy('agent_blocks.agent_id')
    .orderBy('agent_blocks.position')
    .orderBy('agent_blocks.label')
    .execute();
  return rows.map((row) => ({ agentId: row.agent_id, block: toBlock(row, row.attached_read_only) }));
}

/** The agent's block with this label. Throws BlockNotFoundError. */
export async function getAgentBlock(db: Db | Tx, agentId: string, label: string): Promise<Block> {
  const row = await attachedBlocks(db)
    .where('agent_blocks.agent_id', '=', agentId)
    .where('agent_blocks.label', '=', label)
    .executeTakeFirst();
  if (row === undefined) throw new BlockNotFoundError({ agentId, label });
  return toBlock(row, row.attached_read_only);
}

function attachedBlocks(db: Db | Tx) {
  return db
    .selectFrom('agent_blocks')
    .innerJoin('blocks', 'blocks.id', 'agent_blocks.block_id')
    .innerJoin('agents', 'agents.id', 'agent_blocks.agent_id')
    .selectAll('blocks')
    .select(['agent_blocks.agent_id', 'agent_blocks.read_only as attached_read_only'])
    .where('agents.deleted_at', 'is', null);
}

/** How a block is attached. */
export interface Attachment {
  readonly agentId: string;
  readonly blockId: string;
  /** Whether the agent may only read the block. Absent: unchanged, at first false. */
  readonly readOnly?: boolean | undefined;
  /** Whether the agent is woken when others change the block (`turns/block-wakes.ts`). Absent: unchanged, at first false. */
  readonly notify?: boolean | undefined;
}

/**
 * Attaches a block as the agent's last one. An attached one keeps its position and all that is not given. Throws
 * AgentNotFoundError, BlockNotFoundError and LabelTakenError.
 */
export async function attachBlock(db: Db | Tx, attachment: Attachment): Promise<void> {
  const { agentId, blockId, readOnly = null, notify = null } = attachment;
  await inTransaction(db, async (tx) => {
    await requireAgent(tx, agentId);
    const { label } = await requireBlock(tx, blockId);
    await sql`
      insert into agent_blocks (agent_id, block_id, label, position, read_only)
      select ${agentId}, ${blockId}, ${label}, coalesce(max(position) + 1, 0), ${readOnly ?? false}
      from agent_blocks where agent_id = ${agentId}
      on conflict do nothing`.execute(tx);
    const attached = await sql`
      update agent_blocks set read_only = coalesce(${readOnly}, agent_blocks.read_only),
        notify = coalesce(${notify}, notify),
        -- Who begins to ask is not told of what was before.
        notified_revision = case when notify then notified_revision else blocks.revision end
      from blocks
      where agent_id = ${agentId} and block_id = ${blockId} and blocks.id = block_id`.execute(tx);
    if (attached.numAffectedRows === 0n) throw new LabelTakenError(label, agentId);
  });
}

/** Detaches a block, which is kept. Harmless where it isn't attached. */
export async function detachBlock(db: Db | Tx, agentId: string, blockId: string): Promise<void> {
  await db
    .deleteFrom('agent_blocks')
    .where('agent_id', '=', agentId)
    .where('block_id', '=', blockId)
    .execute();
}

/** Ids of the agents that have the block, oldest first. */
export async function blockAgents(db: Db | Tx, blockId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agent_blocks')
    .innerJoin('agents', 'agents.id', 'agent_blocks.agent_id')
    .select('agents.id')
    .where('agent_blocks.block_id', '=', blockId)
    .where('agents.deleted_at', 'is', null)
    .orderBy('agents.created_at')
    .orderBy('agents.id')
    .execute();
  return rows.map((row) => row.id);
}
