import { isReasoningModel } from '../../adapters/models/chat-request.js';
import { z } from 'zod';
import type { EmbeddingDescription, ModelDescription, ModelSettings } from '../../core/models/model.js';
import { freeObject } from '../http/fields-wire.js';

/** An agent's model as older clients give it: the handle, or its two halves. */
export const llmConfigBody = z.looseObject({
  model: z.string().nullish(),
  model_endpoint_type: z.string().nullish(),
  model_endpoint: z.string().nullish(),
  context_window: z.int().min(1).nullish(),
  handle: z.string().nullish(),
  temperature: z.number().nullish(),
  max_tokens: z.int().nullish(),
  reasoning_effort: z.string().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
});

/** An agent's embedding model as older clients give it. */
export const embeddingConfigBody = z.looseObject({
  embedding_model: z.string().nullish(),
  embedding_endpoint_type: z.string().nullish(),
  handle: z.string().nullish(),
});

/** The settings of a model as newer clients give them, whatever the provider. */
export const modelSettingsBody = z.looseObject({
  max_output_tokens: z.int().nullish(),
  temperature: z.number().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z.looseObject({ reasoning_effort: z.string().nullish() }).nullish(),
  effort: z.string().nullish(),
  response_format: freeObject.nullish(),
});

export type LlmConfigBody = z.infer<typeof llmConfigBody>;
export type EmbeddingConfigBody = z.infer<typeof embeddingConfigBody>;
type ModelSettingsBody = z.infer<typeof modelSettingsBody>;

/** The handle that an `llm_config` means. */
export function handleOfLlmConfig(config: LlmConfigBody): string | undefined {
  return config.handle ?? joinHandle(config.model_endpoint_type, config.model);
}

/** The handle that an `embedding_config` means. */
export function handleOfEmbeddingConfig(config: EmbeddingConfigBody): string | undefined {
  return config.handle ?? joinHandle(config.embedding_endpoint_type, config.embedding_model);
}

/** The places where a request can set one setting; the more specific one counts. */
export interface ModelSettingsSources {
  readonly settings?: ModelSettingsBody | null | undefined;
  readonly llmConfig?: LlmConfigBody | null | undefined;
  readonly maxTokens?: number | null | undefined;
  readonly parallelToolCalls?: boolean | null | undefined;
  readonly responseFormat?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The model settings that a request sets, and only those. */
export function fromModelSettings({ settings, llmConfig, ...direct }: ModelSettingsSources): ModelSettings {
  const temperature = settings?.temperature ?? llmConfig?.temperature;
  const maxOutputTokens = direct.maxTokens ?? settings?.max_output_tokens ?? llmConfig?.max_tokens;
  const parallelToolCalls =
    direct.parallelToolCalls ?? settings?.parallel_tool_calls ?? llmConfig?.parallel_tool_calls;
  const effort = toEffort(
    settings?.reasoning?.reasoning_effort ?? settings?.effort ?? llmConfig?.reasoning_effort,
  );
  const responseFormat = direct.responseFormat ?? settings?.response_format;
  return {
    ...(temperature == null ? {} : { temperature }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(parallelToolCalls == null ? {} : { parallelToolCalls }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(responseFormat == null ? {} : { responseFormat }),
  };
}

/** A model's configuration as older clients read it. */
export function toLlmConfig(
  model: ModelDescription,
  settings: ModelSettings,
  contextWindow: number,
): Record<string, unknown> {
  return {
    model: model.model,
    display_name: model.model,
    model_endpoint_type: endpointType(model.provider),
    model_endpoint: model.endpoint ?? null,
    provider_name: model.provider,
    provider_category: 'base',
    model_wrapper: null,
    context_window: contextWindow,
    put_inner_thoughts_in_kwargs: true,
    handle: model.handle,
    temperature: settings.temperature ?? 1,
    max_tokens: settings.maxOutputTokens ?? null,
    enable_reasoner: true,
    reasoning_effort: settings.reasoningEffort ?? null,
    max_reasoning_tokens: 0,
    frequency_penalty: null,
    compatibility_type: null,
    verbosity: null,
    tier: null,
    parallel_tool_calls: settings.parallelToolCalls ?? false,
    response_format: settings.responseFormat ?? null,
    strict: false,
  };
}

/** The output limit of OpenAI's models where none is set, in tokens. */
const usualOutputTokens = 16_384;

/** The effort that Letta shows where none is set: `minimal` for a model without reasoning, else the provider's own. */
function usualEffort({ model }: ModelDescription): string | null {
  return isReasoningModel(model) ? null : 'minimal';
}

/** A model's settings as newer clients read them, with the provider's defaults where nothing is set. */
export function toModelSettings(model: ModelDescription, settings: ModelSettings): Record<string, unknown> {
  return {
    provider_type: endpointType(model.provider),
    max_output_tokens: settings.maxOutputTokens ?? (model.provider === 'openai' ? usualOutputTokens : null),
    parallel_tool_calls: settings.parallelToolCalls ?? true,
    temperature: settings.temperature ?? 1,
    reasoning: { reasoning_effort: settings.reasoningEffort ?? usualEffort(model) },
    response_format: settings.responseFormat ?? null,
    strict: false,
  };
}

/** A model as `GET /v1/models` lists it. */
export function toWireModel(model: ModelDescription): Record<string, unknown> {
  const config = toLlmConfig(model, {}, model.contextWindow);
  return {
    ...config,
    name: model.model,
    provider_type: endpointType(model.provider),
    model_type: 'llm',
    max_context_window: model.contextWindow,
  };
}

/** An embedding model's configuration, and its row in `GET /v1/models/embedding`. */
export function toEmbeddingConfig(embedding: EmbeddingDescription): Record<string, unknown> {
  return {
    embedding_endpoint_type: endpointType(embedding.provider),
    embedding_endpoint: embedding.endpoint ?? null,
    embedding_model: embedding.model,
    embedding_dim: embedding.dimensions,
    embedding_chunk_size: 300,
    handle: embedding.handle,
    batch_size: 32,
    azure_endpoint: null,
    azure_version: null,
    azure_deployment: null,
  };
}

export function toWireEmbedding(embedding: EmbeddingDescription): Record<string, unknown> {
  return {
    ...toEmbeddingConfig(embedding),
    name: embedding.model,
    display_name: embedding.model,
    provider_type: endpointType(embedding.provider),
    provider_name: embedding.provider,
    model_type: 'embedding',
  };
}

/** Letta's names of providers. Our own provider is shown as `openai`, which it behaves like. */
function endpointType(provider: string): string {
  switch (provider) {
    case 'perdure':
      return 'openai';
    case 'gemini':
      return 'google_ai';
    case 'lmstudio_openai':
      return 'lmstudio';
    default:
      return provider;
  }
}

function joinHandle(
  provider: string | null | undefined,
  model: string | null | undefined,
): string | undefined {
  if (model == null || model === '') return undefined;
  if (provider == null || model.startsWith(`${provider}/`)) return model;
  return `${provider}/${model}`;
}

function toEffort(given: string | null | undefined): ModelSettings['reasoningEffort'] {
  switch (given) {
    case 'minimal':
    case 'low':
    case 'medium':
    case 'high':
      return given;
    case 'xhigh':
    case 'max':
      return 'high';
    default:
      return undefined;
  }
}
