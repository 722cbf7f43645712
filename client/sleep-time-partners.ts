import { type Agent, type AgentType, loopStyle } from '../core/agents/agents.js';
import { defaultFrequency, type Group, type ManagerConfig } from '../core/groups/groups.js';
import { baseInstructions } from '../core/threads/prompts.js';
import type { ToolRule } from '../core/agents/tool-rules.js';
import { defaultToolRules, defaultTools } from '../core/tools/tools.js';
import type { Block } from '../core/blocks/blocks.js';
import { attachBlock, detachBlock, listAgentBlocks } from '../schema/blocks/agent-blocks.js';
import { createAgent } from '../schema/agents/creation.js';
import { type Db, inTransaction, type Tx } from '../schema/db/database.js';
import { createGroup, sleepTimeGroup, updateGroup } from '../schema/groups/groups.js';

/** The partner's own block, about itself. */
const persona = {
  label: 'memory_persona',
  value:
    'I keep the memory of another agent. I read what happened, keep what will matter, correct what is wrong, and leave the rest.',
  description: 'Who you are and how you work as the keeper of this memory. Refine it as you learn.',
};

/**
 * Gives the agent a sleep-time partner that shares its blocks, and a group of the two. An agent that has such a group
 * already keeps it; a paused one is resumed. Throws AgentNotFoundError.
 */
export async function ensurePartner(
  db: Db | Tx,
  agent: Agent,
  managerConfig: ManagerConfig = { frequency: defaultFrequency },
): Promise<Group> {
  return inTransaction(db, async (tx) => {
    const earlier = await sleepTimeGroup(tx, agent.id);
    if (earlier !== undefined) return updateGroup(tx, earlier.id, { paused: false });
    const isVoice = agent.agentType === 'voice_convo_agent';
    const partner = await createPartner(tx, agent, isVoice ? 'voice_sleeptime_agent' : 'sleeptime_agent');
    return createGroup(tx, {
      managerType: isVoice ? 'voice_sleeptime' : 'sleeptime',
      managerAgentId: agent.id,
      agentIds: [partner.id],
      description: `Sleep-time of ${agent.name}`,
      managerConfig,
    });
  });
}

/** Attaches an agent's block to its partner too, unless the partner has a block with that label. */
export async function shareWithPartner(
  tx: Tx,
  agentId: string,
  block: Pick<Block, 'id' | 'label'>,
): Promise<void> {
  for (const partnerId of await partnersOf(tx, agentId)) {
    const labels = (await listAgentBlocks(tx, partnerId)).map(({ label }) => label);
    if (!labels.includes(block.label)) await attachBlock(tx, { agentId: partnerId, blockId: block.id });
  }
}

/** Detaches a block that the agent no longer has from its partner too. */
export async function unshareWithPartner(tx: Tx, agentId: string, blockId: string): Promise<void> {
  for (const partnerId of await partnersOf(tx, agentId)) await detachBlock(tx, partnerId, blockId);
}

async function partnersOf(tx: Tx, agentId: string): Promise<readonly string[]> {
  return (await sleepTimeGroup(tx, agentId))?.agentIds ?? [];
}

/** Pauses the agent's partner until `ensurePartner`. Does nothing where there is none. */
export async function pausePartner(db: Db | Tx, agentId: string): Promise<void> {
  const group = await sleepTimeGroup(db, agentId);
  if (group !== undefined) await updateGroup(db, group.id, { paused: true });
}

async function createPartner(tx: Tx, agent: Agent, agentType: AgentType): Promise<Agent> {
  const toolNames = defaultTools(agentType, { includeBaseTools: true });
  const shared = (await listAgentBlocks(tx, agent.id)).filter(({ label }) => label !== persona.label);
  const rules: readonly ToolRule[] = [
    ...defaultToolRules(agentType, toolNames),
    // Plain text ends a native turn: a partner that only writes text gets another step.
    ...(loopStyle(agentType) === 'native'
      ? [{ kind: 'required_before_exit' as const, tool: 'memory_finish_edits' }]
      : []),
  ];
  return createAgent(tx, {
    name: `${agent.name}-sleeptime`,
    agentType,
    system: baseInstructions(agentType),
    description: `Refines the memory of ${agent.name} while it sleeps.`,
    model: agent.model,
    embedding: agent.embedding,
    contextWindow: agent.contextWindow,
    timezone: agent.timezone,
    tags: agent.tags,
    toolNames,
    toolRules: rules,
    blocks: [persona],
    blockIds: shared.map((block) => block.id),
  });
}
