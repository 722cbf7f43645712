import { z } from 'zod';
import type { messageBody, SendBody } from '../threads/message-requests-wire.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';

/** A field that would be answered wrongly, and may be there only without a value. */
export const refusedOption = (why: string): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .refine((value) => value == null || (Array.isArray(value) && value.length === 0), { error: why })
    .optional();

/** OpenAI's form of answers: what a provider of chat completions is given. */
export const responseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()).optional() }),
    }),
  ],
  { error: 'only text, json_object and json_schema can be asked for' },
);

export type ResponseFormat = z.infer<typeof responseFormat>;

/** Content of a message, as Letta's API has it. */
export type Content = z.infer<typeof messageBody>['content'];

/** A message of OpenAI's, whoever says it. */
interface Said {
  readonly role: string;
  readonly content: Content | null;
}

/**
 * What of a request an agent has not heard yet, as a request of Letta's: the user's last messages. What comes before
 * them is the past that the client keeps, and the agent keeps its own. Undefined where the user says nothing.
 */
export function toUnheard(messages: readonly Said[]): SendBody | undefined {
  const heard = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
  const said = messages
    .slice(heard + 1)
    .flatMap(({ role, content }) => (role === 'user' && content !== null ? [content] : []));
  if (said.length === 0) return undefined;
  return {
    messages: said.map((content) => ({ role: 'user', content })),
    include_return_message_types: ['assistant_message'],
  };
}

/** An image, at its address or as a data URL, as content of Letta's. */
export function toImage(url: string): Exclude<Content, string>[number] {
  return { type: 'image', source: { type: 'url', url } };
}

/**
 * What an agent said in a turn. Where a form was asked for, what it said last: a document is not to be mixed with words
 * that were said on the way.
 */
export function saidIn(
  { messages }: LettaResponse,
  format: ResponseFormat | undefined,
): readonly { readonly id: string; readonly otid: string | null; readonly content: string }[] {
  const said = messages.flatMap((one) => (one.message_type === 'assistant_message' ? [one] : []));
  return asksForDocument(format) ? said.slice(-1) : said;
}

/** Whether the answer is to be one document, rather than words. */
export function asksForDocument(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format.type !== 'text';
}

/** What the fragments of one speech share: an answer may hold several, each with an otid of its own. */
export function wordsKey({ id, otid }: { readonly id: string; readonly otid: string | null }): string {
  return otid ?? id;
}
