import { z } from 'zod';
import { type Agent, agentTypes } from '../../core/agents/agents.js';
import { fileLimits } from '../../core/files/windows.js';
import type { Block } from '../../core/blocks/blocks.js';
import type { Identity } from '../../core/identities/identities.js';
import type { Group } from '../../core/groups/groups.js';
import type { EmbeddingDescription, ModelDescription } from '../../core/models/model.js';
import { maskVariables } from '../../schema/agents/variables.js';
import type { LastTurn } from '../../schema/agents/details.js';
import type { OpenFileView } from '../../schema/files/open-files.js';
import type { Tool } from '../../schema/tools/tools.js';
import { keptAgentExtras } from './agent-requests-wire.js';
import { toWireBlock, wireBlock } from '../blocks/blocks-wire.js';
import { freeObject } from '../http/fields-wire.js';
import { toWireFileBlock, wireFileBlock } from '../files/file-blocks-wire.js';
import { toWireIdentity, wireIdentity } from '../identities/identities-wire.js';
import { isSleepTime, toWireGroup, wireGroup } from '../groups/groups-wire.js';
import { toEmbeddingConfig, toLlmConfig, toModelSettings } from '../models/model-configs-wire.js';
import { type WireSource, wireSource } from '../files/sources-wire.js';
import { toWireToolRule, wireToolRule } from './tool-rules-wire.js';
import { toWireTool, wireTool } from '../tools/tools-wire.js';

const variable = z.object({
  id: z.string(),
  key: z.string(),
  value: z.string(),
  description: z.string().nullable(),
  agent_id: z.string(),
});

const memory = z.object({
  agent_type: z.string().nullable(),
  git_enabled: z.boolean(),
  blocks: z.array(wireBlock),
  file_blocks: z.array(wireFileBlock),
  prompt_template: z.string(),
});

/** An agent as the API shows it. `llm_config`, `embedding_config` and `memory` are for older clients. */
export const wireAgent = z
  .object({
    id: z.string(),
    name: z.string(),
    system: z.string(),
    agent_type: z.enum(agentTypes),
    description: z.string().nullable(),
    metadata: freeObject,
    model: z.string(),
    embedding: z.string(),
    model_settings: freeObject,
    llm_config: freeObject,
    embedding_config: freeObject,
    compaction_settings: freeObject.nullable(),
    response_format: freeObject.nullable(),
    memory,
    blocks: z.array(wireBlock),
    tools: z.array(wireTool),
    sources: z.array(wireSource),
    tags: z.array(z.string()),
    tool_rules: z.array(wireToolRule),
    message_ids: z.array(z.string()),
    tool_exec_environment_variables: z.array(variable),
    secrets: z.array(variable),
    project_id: z.string().nullable(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    entity_id: z.string().nullable(),
    identity_ids: z.array(z.string()),
    identities: z.array(wireIdentity),
    pending_approval: freeObject.nullable(),
    message_buffer_autoclear: z.boolean(),
    enable_sleeptime: z.boolean().nullable(),
    multi_agent_group: wireGroup.nullable(),
    managed_group: wireGroup.nullable(),
    last_run_completion: z.string().nullable(),
    last_run_duration_ms: z.number().nullable(),
    last_stop_reason: z.string().nullable(),
    timezone: z.string(),
    max_files_open: z.number().nullable(),
    per_file_view_window_char_limit: z.number().nullable(),
    hidden: z.boolean().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'AgentState' });

export type WireAgent = z.infer<typeof wireAgent>;

/** An agent with everything that its state on the wire shows. */
export interface AgentView {
  readonly agent: Agent;
  readonly blocks: readonly Block[];
  readonly tools: readonly Tool[];
  readonly sources: readonly WireSource[];
  /** Ids of the messages in context, in order. */
  readonly messageIds: readonly string[];
  readonly openFiles: readonly OpenFileView[];
  readonly identities: readonly Identity[];
  readonly lastTurn: LastTurn | null;
  readonly model: ModelDescription;
  readonly embedding: EmbeddingDescription;
  /** The group that it manages. */
  readonly group: Group | null;
}

export function toWireAgent(view: AgentView): WireAgent {
  const { agent, model } = view;
  const group = view.group === null ? null : toWireGroup(view.group);
  const blocks = view.blocks.map(toWireBlock);
  return {
    id: agent.id,
    name: agent.name,
    system: agent.system,
    agent_type: agent.agentType,
    description: agent.description,
    metadata: { ...agent.metadata },
    model: agent.model,
    embedding: agent.embedding,
    model_settings: toModelSettings(model, agent.modelSettings),
    llm_config: toLlmConfig(model, agent.modelSettings, agent.contextWindow ?? model.contextWindow),
    embedding_config: toEmbeddingConfig(view.embedding),
    response_format: agent.modelSettings.responseFormat ?? null,
    memory: {
      agent_type: agent.agentType,
      git_enabled: false,
      blocks,
      file_blocks: view.openFiles.map(toWireFileBlock),
      prompt_template: '',
    },
    blocks,
    tools: view.tools.map(toWireTool),
    sources: [...view.sources],
    tags: [...agent.tags],
    tool_rules: agent.toolRules.map(toWireToolRule),
    message_ids: [...view.messageIds],
    timezone: agent.timezone,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    created_by_id: null,
    last_updated_by_id: null,
    // Two names of one field: clients of 0.1.x read the first, newer ones the second.
    multi_agent_group: group,
    managed_group: group,
    identity_ids: view.identities.map((identity) => identity.id),
    identities: view.identities.map(toWireIdentity),
    ...lastRunPart(view.lastTurn),
    ...keptPart(agent),
    ...fileLimitsPart(agent, model),
    enable_sleeptime: isSleepTime(group) ? !group.paused : null,
    ...absentPart,
  };
}

/** Fields that clients expect and agents here don't have. */
const absentPart = {
  deployment_id: null,
  entity_id: null,
  pending_approval: null,
};

function lastRunPart(last: LastTurn | null) {
  return {
    last_run_completion: last?.completedAt.toISOString() ?? null,
    last_run_duration_ms: last === null ? null : last.completedAt.getTime() - last.startedAt.getTime(),
    last_stop_reason: last?.stopReason ?? null,
  };
}

/** The limits that the agent was given, else those for its context window. */
function fileLimitsPart(agent: Agent, model: ModelDescription) {
  const { data: kept = {} } = keptAgentExtras.safeParse(agent.extras);
  const usual = fileLimits(agent.contextWindow ?? model.contextWindow);
  return {
    max_files_open: kept.max_files_open ?? usual.files,
    per_file_view_window_char_limit: kept.per_file_view_window_char_limit ?? usual.characters,
  };
}

function keptPart(agent: Agent) {
  const { data: kept = {} } = keptAgentExtras.safeParse(agent.extras);
  const variables = toVariables(agent.id, maskVariables(agent.extras));
  return {
    compaction_settings: kept.compaction_settings ?? null,
    tool_exec_environment_variables: variables,
    secrets: variables,
    project_id: kept.project_id ?? null,
    template_id: kept.template_id ?? null,
    base_template_id: kept.base_template_id ?? null,
    message_buffer_autoclear: kept.message_buffer_autoclear ?? false,
    hidden: kept.hidden ?? null,
  };
}

function toVariables(agentId: string, values: Readonly<Record<string, string>>): z.infer<typeof variable>[] {
  return Object.entries(values).map(([key, value]) => ({
    id: `agent-env-${agentId.slice('agent-'.length)}-${key}`,
    key,
    value,
    description: null,
    agent_id: agentId,
  }));
}
