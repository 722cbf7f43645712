import { ensurePartner, pausePartner } from '../../client/sleep-time-partners.js';
import type { Agent } from '../../core/agents/agents.js';
import { type AgentPatch, updateAgent } from '../../schema/agents/updates.js';
import { sealVariables } from '../../schema/agents/variables.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { inTransaction } from '../../schema/db/database.js';
import type { ServerDeps } from '../deps.js';
import { checkExtension } from './extension-choice.js';
import { definedFields } from '../http/defined-fields.js';
import { findEmbedding, findModel } from '../models/model-choice.js';
import { openSourceFiles } from '../files/open-files.js';
import { keptAgentFields, type UpdateAgentBody } from './agent-requests-wire.js';
import { fromModelSettings } from '../models/model-configs-wire.js';
import { fromWireToolRules } from './tool-rules-wire.js';

/**
 * Applies the changes of a request to an agent.
 * Throws AgentNotFoundError, WorldFailure 'Model.NotConfigured', and what `updateAgent` throws.
 */
export async function changeRequestedAgent(
  deps: ServerDeps,
  agentId: string,
  body: UpdateAgentBody,
): Promise<Agent> {
  const agent = await requireAgent(deps.db, agentId);
  const patch = toPatch(deps, agent, body);
  return inTransaction(deps.db, async (tx) => {
    const changed = await updateAgent(tx, agentId, patch);
    if (patch.sourceIds !== undefined) await openSourceFiles(deps, tx, agentId);
    if (body.enable_sleeptime === true) await ensurePartner(tx, changed);
    if (body.enable_sleeptime === false) await pausePartner(tx, agentId);
    return changed;
  });
}

function toPatch(deps: ServerDeps, agent: Agent, body: UpdateAgentBody): AgentPatch {
  const settings = fromModelSettings({
    settings: body.model_settings,
    llmConfig: body.llm_config,
    maxTokens: body.max_tokens,
    parallelToolCalls: body.parallel_tool_calls,
    responseFormat: body.response_format,
  });
  const contextWindow = body.context_window_limit ?? body.llm_config?.context_window;
  const extras = sealVariables(deps.vault, agent.id, { extras: keptAgentFields(body), before: agent.extras });
  return definedFields({
    name: body.name ?? undefined,
    system: body.system ?? undefined,
    description: body.description ?? undefined,
    metadata: checkExtension(deps, body.metadata),
    model: findModel(deps, body),
    embedding: findEmbedding(deps, body),
    contextWindow: contextWindow ?? undefined,
    modelSettings: Object.keys(settings).length === 0 ? undefined : { ...agent.modelSettings, ...settings },
    toolRules: body.tool_rules == null ? undefined : fromWireToolRules(body.tool_rules),
    tags: body.tags ?? undefined,
    timezone: body.timezone ?? undefined,
    extras: Object.keys(extras).length === 0 ? undefined : extras,
    blockIds: body.block_ids ?? undefined,
    toolIds: body.tool_ids ?? undefined,
    identityIds: body.identity_ids ?? undefined,
    sourceIds: body.folder_ids ?? body.source_ids ?? undefined,
  });
}
