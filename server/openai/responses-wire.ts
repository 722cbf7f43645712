import { z } from 'zod';
import { finalState, type StopReason } from '../../core/turns/stop-reasons.js';
import { type ResponseFormat, saidIn, wordsKey } from './requests-wire.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';
import type { WireUsage } from '../models/usage-wire.js';

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(z.never()),
});

const outputMessage = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: z.enum(['in_progress', 'completed']),
  content: z.array(outputText),
});

export type OutputMessage = z.infer<typeof outputMessage>;

/** OpenAI's response. `id` is the run's. */
export const openAiResponse = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    /** In seconds. */
    created_at: z.number(),
    model: z.string(),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    error: z.object({ code: z.literal('server_error'), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).nullable(),
    output: z.array(outputMessage),
    previous_response_id: z.string().nullable(),
    background: z.literal(false),
    store: z.literal(true),
    instructions: z.null(),
    metadata: z.object({}),
    parallel_tool_calls: z.boolean(),
    temperature: z.null(),
    top_p: z.null(),
    max_output_tokens: z.null(),
    tool_choice: z.literal('auto'),
    tools: z.array(z.never()),
    truncation: z.literal('disabled'),
    text: z.object({ format: z.record(z.string(), z.unknown()) }),
    usage: z
      .object({
        input_tokens: z.number(),
        input_tokens_details: z.object({ cached_tokens: z.number() }),
        output_tokens: z.number(),
        output_tokens_details: z.object({ reasoning_tokens: z.number() }),
        total_tokens: z.number(),
      })
      .nullable(),
  })
  .meta({ id: 'OpenAiResponse' });

export type OpenAiResponse = z.infer<typeof openAiResponse>;

/** What a response begins with in every state. */
export interface ResponseHead {
  readonly runId: string;
  readonly model: string;
  readonly at: Date;
  readonly format: ResponseFormat | undefined;
  readonly previousRunId: string | null;
}

/** The progress of a response. */
export interface ResponseState {
  readonly output: readonly OutputMessage[];
  /** Null while the turn runs. */
  readonly stopReason: StopReason | null;
  readonly usage: WireUsage | null;
  readonly error: string | null;
}

/** The words of a turn that has ended, as OpenAI's response. */
export function fromLettaResponse(head: ResponseHead, response: LettaResponse): OpenAiResponse {
  return toOpenAiResponse(head, {
    output: saidIn(response, head.format).map((said) => toOutput(itemId(said), said.content)),
    stopReason: response.stop_reason.stop_reason,
    usage: response.usage,
    error: response.error?.message ?? null,
  });
}

export function toOpenAiResponse(head: ResponseHead, state: ResponseState): OpenAiResponse {
  const status = toStatus(state.stopReason);
  return {
    id: head.runId,
    object: 'response',
    created_at: Math.floor(head.at.getTime() / 1000),
    model: head.model,
    status,
    error:
      status === 'failed'
        ? { code: 'server_error', message: state.error ?? `The turn ended with ${state.stopReason ?? ''}.` }
        : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: [...state.output],
    previous_response_id: head.previousRunId,
    background: false,
    store: true,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    top_p: null,
    max_output_tokens: null,
    tool_choice: 'auto',
    tools: [],
    truncation: 'disabled',
    text: { format: toNewer(head.format) },
    usage: state.usage === null ? null : toResponseUsage(state.usage),
  };
}

/** A whole message of the agent. */
export function toOutput(id: string, text: string): OutputMessage {
  return { id, type: 'message', role: 'assistant', status: 'completed', content: [toOutputText(text)] };
}

/** The id of an agent's message as an output item; unique in a response. */
export function itemId(said: { readonly id: string; readonly otid: string | null }): string {
  return `msg_${wordsKey(said)}`;
}

export function toOutputText(text: string): z.infer<typeof outputText> {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function toStatus(reason: StopReason | null): OpenAiResponse['status'] {
  if (reason === null) return 'in_progress';
  return reason === 'max_tokens_exceeded' ? 'incomplete' : finalState(reason);
}

function toNewer(format: ResponseFormat = { type: 'text' }): Record<string, unknown> {
  return format.type === 'json_schema' ? { ...format.json_schema, type: format.type } : format;
}

function toResponseUsage(spent: WireUsage): NonNullable<OpenAiResponse['usage']> {
  return {
    input_tokens: spent.prompt_tokens,
    input_tokens_details: { cached_tokens: spent.cached_input_tokens ?? 0 },
    output_tokens: spent.completion_tokens,
    output_tokens_details: { reasoning_tokens: spent.reasoning_tokens ?? 0 },
    total_tokens: spent.total_tokens,
  };
}
