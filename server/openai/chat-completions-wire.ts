import { z } from 'zod';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import type { SendBody } from '../threads/message-requests-wire.js';
import {
  refusedOption,
  type Content,
  responseFormat,
  type ResponseFormat,
  saidIn,
  toImage,
  toUnheard,
} from './requests-wire.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';
import type { WireUsage } from '../models/usage-wire.js';

const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
  ],
  { error: 'only text and image_url parts can be read here' },
);

const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
});

/**
 * OpenAI's request, with an agent as the model. Sampling settings are ignored, because an agent
 * has its own. Fields that can't be honoured are refused.
 */
export const completionBody = z
  .looseObject({
    /** An agent's id or name, or a conversation's id. */
    model: z.string().min(1),
    messages: z.array(message).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    response_format: responseFormat.nullish(),
    n: z.literal(1, { error: 'an agent gives one answer' }).nullish(),
    tools: refusedOption('the agent has tools of its own. Attach a tool to it instead'),
    functions: refusedOption('the agent has tools of its own. Attach a tool to it instead'),
  })
  .meta({ id: 'ChatCompletionRequest' });

export type CompletionBody = z.infer<typeof completionBody>;

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
});

const finishReason = z.enum(['stop', 'length']);

/** OpenAI's answer. `id` is the run's. */
export const completion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.number(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string(),
          refusal: z.null(),
        }),
        logprobs: z.null(),
        finish_reason: finishReason,
      }),
    ),
    usage,
  })
  .meta({ id: 'ChatCompletion' });

export type Completion = z.infer<typeof completion>;

/** Separates what an agent said in several messages of one turn. */
export const pause = '\n\n';

/** The messages of a request that the agent has not heard yet; undefined where there are none. */
export function toSendBody({ messages }: CompletionBody): SendBody | undefined {
  return toUnheard(messages.map(({ role, content }) => ({ role, content: toContent(content) })));
}

function toContent(content: z.infer<typeof message>['content']): Content | null {
  if (content == null || typeof content === 'string') return content ?? null;
  return content.map((one) => (one.type === 'text' ? one : toImage(one.image_url.url)));
}

/** What every answer, and every chunk of one, begins with. */
export interface CompletionHead {
  readonly runId: string;
  readonly model: string;
  readonly at: Date;
  readonly format: ResponseFormat | undefined;
}

/** The words of a turn that has ended, as OpenAI's answer. */
export function toCompletion(head: CompletionHead, response: LettaResponse): Completion {
  const words = saidIn(response, head.format).map(({ content }) => content);
  return {
    ...headOf(head),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: words.join(pause), refusal: null },
        logprobs: null,
        finish_reason: toFinishReason(response.stop_reason.stop_reason),
      },
    ],
    usage: toCompletionUsage(response.usage),
  };
}

/** What a chunk of OpenAI's stream adds. */
export interface CompletionDelta {
  readonly role?: 'assistant';
  readonly content?: string;
}

/** A chunk of OpenAI's stream. */
export function toCompletionChunk(
  head: CompletionHead,
  delta: CompletionDelta,
  finish: StopReason | null = null,
): object {
  return {
    ...headOf(head),
    object: 'chat.completion.chunk',
    choices: [
      { index: 0, delta, logprobs: null, finish_reason: finish === null ? null : toFinishReason(finish) },
    ],
  };
}

/** The chunk with a stream's usage, for clients that ask for it. */
export function toUsageChunk(head: CompletionHead, spent: WireUsage): object {
  return {
    ...headOf(head),
    object: 'chat.completion.chunk',
    choices: [],
    usage: toCompletionUsage(spent),
  };
}

function headOf({ runId, model, at }: CompletionHead) {
  return { id: runId, created: Math.floor(at.getTime() / 1000), model };
}

function toFinishReason(reason: StopReason): z.infer<typeof finishReason> {
  return reason === 'max_tokens_exceeded' ? 'length' : 'stop';
}

function toCompletionUsage(spent: WireUsage): z.infer<typeof usage> {
  return {
    prompt_tokens: spent.prompt_tokens,
    completion_tokens: spent.completion_tokens,
    total_tokens: spent.total_tokens,
    prompt_tokens_details: { cached_tokens: spent.cached_input_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: spent.reasoning_tokens ?? 0 },
  };
}
