import { z } from 'zod';
import type { Message } from '../../core/threads/messages.js';
import type { ModelMessage, ToolSchema } from '../../core/models/model.js';
import { prefixSections } from '../../core/threads/prefix-sections.js';
import { estimateRequest, estimateTokens } from '../../core/threads/tokens.js';
import { toStoredMessage } from './stored-message-wire.js';
import { freeObject } from '../http/fields-wire.js';

/** What is in an agent's context, with the tokens of each part. */
export const wireContextOverview = z
  .object({
    context_window_size_max: z.number(),
    context_window_size_current: z.number(),
    num_messages: z.number(),
    num_archival_memory: z.number(),
    num_recall_memory: z.number(),
    num_tokens_external_memory_summary: z.number(),
    external_memory_summary: z.string(),
    num_tokens_system: z.number(),
    system_prompt: z.string(),
    num_tokens_core_memory: z.number(),
    core_memory: z.string(),
    num_tokens_memory_filesystem: z.number(),
    memory_filesystem: z.string().nullable(),
    num_tokens_tool_usage_rules: z.number(),
    tool_usage_rules: z.string().nullable(),
    num_tokens_directories: z.number(),
    directories: z.string().nullable(),
    num_tokens_summary_memory: z.number(),
    summary_memory: z.string().nullable(),
    num_tokens_functions_definitions: z.number(),
    functions_definitions: z.array(freeObject),
    num_tokens_messages: z.number(),
    messages: z.array(freeObject),
  })
  .meta({ id: 'ContextWindowOverview' });

/** A context to be shown. */
export interface ContextParts {
  readonly instructions: string;
  readonly prefix: string;
  readonly queue: readonly Message[];
  readonly request: { readonly messages: readonly ModelMessage[]; readonly tools: readonly ToolSchema[] };
  readonly tokens: number;
  readonly window: number;
  readonly passages: number;
  /** How many messages the thread has, in context or not. */
  readonly messages: number;
}

/** A context in Letta's form. The total is counted as turns count it: by the provider's figure where there is one. */
export function toWireContextOverview(context: ContextParts): z.infer<typeof wireContextOverview> {
  const { request, queue } = context;
  const sections = prefixSections(context.prefix);
  const external = sections.memory_metadata ?? '';
  const core = sections.memory_blocks ?? '';
  return {
    context_window_size_max: context.window,
    context_window_size_current: context.tokens,
    num_messages: queue.length,
    num_archival_memory: context.passages,
    num_recall_memory: context.messages,
    num_tokens_external_memory_summary: estimateTokens(external),
    external_memory_summary: external,
    num_tokens_system: estimateTokens(context.instructions),
    system_prompt: context.instructions,
    num_tokens_core_memory: estimateTokens(core),
    core_memory: core,
    num_tokens_memory_filesystem: 0,
    memory_filesystem: null,
    num_tokens_tool_usage_rules: tokensOf(sections.tool_usage_rules),
    tool_usage_rules: sections.tool_usage_rules,
    num_tokens_directories: tokensOf(sections.directories),
    directories: sections.directories,
    num_tokens_summary_memory: tokensOf(sections.conversation_summary),
    summary_memory: sections.conversation_summary,
    num_tokens_functions_definitions: estimateRequest([], request.tools),
    functions_definitions: request.tools.map((tool) => ({ type: 'function', function: tool })),
    num_tokens_messages: estimateRequest(request.messages.slice(1), []),
    messages: queue.map((message) => ({
      ...toStoredMessage(message, message),
      step_id: message.stepId,
    })),
  };
}

function tokensOf(section: string | null): number {
  return section === null ? 0 : estimateTokens(section);
}
