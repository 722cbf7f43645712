import { sql, type UpdateObject } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import { attachBlock } from '../blocks/agent-blocks.js';
import { type NewAgent, saveTags } from './creation.js';
import { replaceIdentities } from '../identities/agent-identities.js';
import { replaceSources } from '../files/agent-sources.js';
import { replaceTools } from '../tools/agent-tools.js';
import { requireSealed } from './variables.js';
import { requireAgent } from './agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { AgentNotFoundError } from './errors.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';
import type { Tables } from '../db/tables.js';

/**
 * Changes of an agent; absent fields stay. `extras` are merged. All else is replaced, also the sets of tags, blocks,
 * tools, sources and identities.
 */
export type AgentPatch = Partial<Omit<NewAgent, 'id' | 'blocks' | 'toolNames' | 'madeBy'>>;

/**
 * Changes an agent, completely or not at all. Throws AgentNotFoundError, BlockNotFoundError, LabelTakenError,
 * ToolNotFoundError, SourceNotFoundError and IdentityNotFoundError.
 */
export async function updateAgent(db: Db | Tx, agentId: string, patch: AgentPatch): Promise<Agent> {
  requireSealed(patch.extras ?? {});
  return inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable('agents')
      .set(changedColumns(patch))
      .where('id', '=', agentId)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) throw new AgentNotFoundError(agentId);
    if (patch.tags !== undefined) await replaceTags(tx, agentId, patch.tags);
    if (patch.blockIds !== undefined) await replaceBlocks(tx, agentId, patch.blockIds);
    if (patch.toolIds !== undefined) await replaceTools(tx, agentId, patch.toolIds);
    if (patch.sourceIds !== undefined) await replaceSources(tx, agentId, patch.sourceIds);
    if (patch.identityIds !== undefined) await replaceIdentities(tx, agentId, patch.identityIds);
    return requireAgent(tx, agentId);
  });
}

function changedColumns(patch: AgentPatch): UpdateObject<Tables, 'agents'> {
  const { name, system, description, metadata, model, embedding, extras } = patch;
  return {
    updated_at: sql<Date>`clock_timestamp()`,
    ...(name !== undefined && { name: storable(name) }),
    ...(patch.agentType !== undefined && { agent_type: patch.agentType }),
    ...(system !== undefined && { system: storable(system) }),
    ...(description !== undefined && { description: storableOrNull(description) }),
    ...(metadata !== undefined && { metadata: toJson(metadata) }),
    ...(model !== undefined && { model: storable(model) }),
    ...(embedding !== undefined && { embedding: storable(embedding) }),
    ...(patch.contextWindow !== undefined && { context_window: patch.contextWindow }),
    ...(patch.modelSettings !== undefined && { model_settings: toJson(patch.modelSettings) }),
    ...(patch.toolRules !== undefined && { tool_rules: toJson(patch.toolRules) }),
    ...(patch.timezone !== undefined && { timezone: patch.timezone }),
    ...(extras !== undefined && { extras: sql<string>`extras || ${toJson(extras)}::jsonb` }),
  };
}

async function replaceTags(tx: Tx, agentId: string, tags: readonly string[]): Promise<void> {
  await tx.deleteFrom('agent_tags').where('agent_id', '=', agentId).execute();
  await saveTags(tx, agentId, tags);
}

// Blocks that stay keep their position and attachment settings.
async function replaceBlocks(tx: Tx, agentId: string, blockIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('agent_blocks')
    .where('agent_id', '=', agentId)
    .where('block_id', '<>', sql<string>`all(${[...blockIds]})`)
    .execute();
  for (const blockId of blockIds) await attachBlock(tx, { agentId, blockId });
}
