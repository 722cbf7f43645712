import { z } from 'zod';
import { agentTypes } from '../../core/agents/agents.js';
import { isTimezone } from '../../core/times.js';
import { createBlockBody } from '../blocks/blocks-wire.js';
import { compactionSettings } from '../threads/compaction-wire.js';
import { refusedField, freeObject, int32, withoutNulls, refusedFlag } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { messageBody } from '../threads/message-requests-wire.js';
import { embeddingConfigBody, llmConfigBody, modelSettingsBody } from '../models/model-configs-wire.js';
import { wireToolRule } from './tool-rules-wire.js';

/** Fields that are stored and returned, and mean nothing to the runtime. */
const keptFields = {
  message_buffer_autoclear: z.boolean().nullish(),
  max_files_open: z.int().nullish(),
  per_file_view_window_char_limit: z.int().nullish(),
  hidden: z.boolean().nullish(),
  project_id: z.string().nullish(),
  template_id: z.string().nullish(),
  base_template_id: z.string().nullish(),
  compaction_settings: compactionSettings.nullish(),
  secrets: z.record(z.string(), z.string()).nullish(),
  memory_variables: z.record(z.string(), z.string()).nullish(),
  tool_exec_environment_variables: z.record(z.string(), z.string()).nullish(),
};

/** A time zone by its IANA name. */
const timezone = z.string().refine(isTimezone, {
  error: 'must be an IANA time zone such as Europe/Berlin',
});

const sharedFields = {
  name: z.string().min(1).nullish(),
  system: z.string().nullish(),
  description: z.string().nullish(),
  metadata: freeObject.nullish(),
  tags: z.array(z.string()).nullish(),
  tool_ids: z.array(idOf('tool')).nullish(),
  block_ids: z.array(idOf('block')).nullish(),
  tool_rules: z.array(wireToolRule).nullish(),
  model: z.string().nullish(),
  embedding: z.string().nullish(),
  llm_config: llmConfigBody.nullish(),
  embedding_config: embeddingConfigBody.nullish(),
  model_settings: modelSettingsBody.nullish(),
  context_window_limit: int32.min(1).nullish(),
  max_tokens: int32.min(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: freeObject.nullish(),
  timezone: timezone.nullish(),
  enable_sleeptime: z.boolean().nullish(),
  /** Newer clients call sources folders. */
  source_ids: z.array(idOf('source')).nullish(),
  folder_ids: z.array(idOf('source')).nullish(),
  identity_ids: z.array(idOf('identity')).nullish(),
  ...keptFields,
};

/** A new agent. Only the model is required, unless the server has a default one. */
export const createAgentBody = z
  .object({
    ...sharedFields,
    agent_type: z.enum(agentTypes).nullish(),
    memory_blocks: z.array(createBlockBody).nullish(),
    tools: z.array(z.string()).nullish(),
    include_base_tools: z.boolean().nullish(),
    include_base_tool_rules: z.boolean().nullish(),
    include_multi_agent_tools: z.boolean().nullish(),
    initial_message_sequence: z.array(messageBody).nullish(),
    // If these were ignored, the agent would not be the one that was asked for.
    from_template: refusedField(
      'is not supported: there are no templates. Import an agent file with agents.import_file',
    ),
    include_default_source: refusedFlag(
      'is not supported. Create a folder with folders.create (sources.create) and give its ID in folder_ids (source_ids)',
    ),
  })
  .meta({ id: 'CreateAgentRequest' });

/** Changes of an agent; absent and null fields stay as they are. */
export const updateAgentBody = z
  .object({
    ...sharedFields,
    message_ids: refusedField(
      'can’t be set: the server decides which messages are in context. Use agents.messages.compact, reset or modify, or fork the agent',
    ),
  })
  .meta({ id: 'UpdateAgent' });

export type CreateAgentBody = z.infer<typeof createAgentBody>;
export type UpdateAgentBody = z.infer<typeof updateAgentBody>;

/** The fields of a request that are stored with the agent as they came. */
export function keptAgentFields(body: UpdateAgentBody): Record<string, unknown> {
  return withoutNulls(Object.fromEntries(Object.entries(body).filter(([key]) => key in keptFields)));
}

/** The fields that were stored with an agent as they came. */
export const keptAgentExtras = z.object(keptFields);
