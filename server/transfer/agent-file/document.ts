import { z } from 'zod';
import { agentTypes } from '../../../core/agents/agents.js';
import { managerTypes } from '../../../core/groups/groups.js';
import { activityField } from '../../tools/activity-tools-wire.js';
import { keptAgentExtras } from '../../agents/agent-requests-wire.js';
import { createBlockBody } from '../../blocks/blocks-wire.js';
import { freeObject, int32 } from '../../http/fields-wire.js';
import { embeddingConfigBody, llmConfigBody, modelSettingsBody } from '../../models/model-configs-wire.js';
import { wireToolRule } from '../../agents/tool-rules-wire.js';
import { keptToolExtras } from '../../tools/tool-requests-wire.js';
import { managerMissing, namesItsAgent } from '../../groups/groups-wire.js';
import { mostEntries } from './entry-limit.js';
import { fileMessage } from './message-reading.js';
import { perdurePart } from './perdure-part.js';

const id = z.string().min(1);
const ids = z.array(id).nullish();
const variables = z.record(z.string(), z.string().nullish()).nullish();

const agent = z.object({
  ...keptAgentExtras.shape,
  id,
  name: z.string().min(1),
  agent_type: z.enum(agentTypes),
  system: z.string().nullish(),
  description: z.string().nullish(),
  metadata: freeObject.nullish(),
  llm_config: llmConfigBody.nullish(),
  embedding_config: embeddingConfigBody.nullish(),
  model: z.string().nullish(),
  embedding: z.string().nullish(),
  model_settings: modelSettingsBody.nullish(),
  context_window_limit: int32.min(1).nullish(),
  max_tokens: int32.min(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: freeObject.nullish(),
  tool_rules: z.array(wireToolRule).nullish(),
  tags: z.array(z.string()).nullish(),
  timezone: z.string().nullish(),
  memory_blocks: z.array(createBlockBody).nullish(),
  block_ids: ids,
  tool_ids: ids,
  source_ids: ids,
  folder_ids: ids,
  messages: z.array(fileMessage).nullish(),
  in_context_message_ids: ids,
  secrets: variables,
  tool_exec_environment_variables: variables,
});

const tool = z.object({
  ...keptToolExtras.shape,
  id,
  name: z.string().min(1),
  tool_type: z.string(),
  description: z.string().nullish(),
  source_type: z.string().nullish(),
  source_code: z.string().nullish(),
  json_schema: freeObject.nullish(),
  args_json_schema: freeObject.nullish(),
  tags: z.array(z.string()).nullish(),
  return_char_limit: int32.min(1).nullish(),
  pip_requirements: z.array(z.looseObject({ name: z.string(), version: z.string().nullish() })).nullish(),
  activity: activityField.nullish(),
});

const source = z.object({
  id,
  name: z.string().min(1),
  description: z.string().nullish(),
  instructions: z.string().nullish(),
  metadata: freeObject.nullish(),
  embedding: z.string().nullish(),
  embedding_config: embeddingConfigBody.nullish(),
  embedding_chunk_size: int32.min(1).nullish(),
});

const file = z.object({
  id,
  source_id: id,
  file_name: z.string().nullish(),
  original_file_name: z.string().nullish(),
  file_type: z.string().nullish(),
  file_size: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullish(),
  content: z.string().nullish(),
});

const group = z.object({
  id,
  agent_ids: z.array(id),
  description: z.string().nullish(),
  manager_config: z
    .looseObject({
      manager_type: z.enum(managerTypes),
      manager_agent_id: id.nullish(),
      sleeptime_agent_frequency: int32.min(1).nullish(),
      termination_token: z.string().min(1).nullish(),
      max_turns: int32.min(1).nullish(),
    })
    .refine(namesItsAgent, managerMissing)
    .nullish(),
  shared_block_ids: ids,
});

/** An agent file in Letta's newer form, with perdure's own part. Unknown members are ignored. */
export const agentDocument = z.object({
  agents: z.array(agent).min(1, 'must hold an agent at least').check(mostEntries),
  groups: z.array(group).check(mostEntries).default([]),
  blocks: z.array(createBlockBody.extend({ id })).check(mostEntries).default([]),
  files: z.array(file).check(mostEntries).default([]),
  sources: z.array(source).check(mostEntries).default([]),
  tools: z.array(tool).check(mostEntries).default([]),
  skills: z.array(z.unknown()).default([]),
  perdure: perdurePart.optional(),
});

export type AgentDocument = z.infer<typeof agentDocument>;
export type AgentEntry = AgentDocument['agents'][number];
export type ToolEntry = AgentDocument['tools'][number];
