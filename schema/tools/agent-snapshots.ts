import type { Agent } from '../../core/agents/agents.js';
import type { Block } from '../../core/blocks/blocks.js';
import { listAgentBlocks } from '../blocks/agent-blocks.js';
import { listAgentTools } from './agent-tools.js';
import { requireAgent } from '../agents/agents.js';
import type { Db } from '../db/database.js';
import { asEditedBy } from '../blocks/branches.js';
import type { Tool } from './tools.js';

/** An agent with its blocks and tools at one moment, as one of its tools may see it. */
export interface AgentSnapshot {
  readonly agent: Agent;
  readonly blocks: readonly Block[];
  readonly tools: readonly Tool[];
}

/** The agent as its tool sees it in a turn; null: outside of turns. Throws AgentNotFoundError. */
export async function takeAgentSnapshot(
  db: Db,
  { agentId, turnId }: { readonly agentId: string; readonly turnId: string | null },
): Promise<AgentSnapshot> {
  const [agent, blocks, tools] = await Promise.all([
    requireAgent(db, agentId),
    listAgentBlocks(db, agentId),
    listAgentTools(db, agentId),
  ]);
  return { agent, blocks: blocks.map(await asEditedBy(db, { turnId })), tools };
}
