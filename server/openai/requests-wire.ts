import { z } from 'zod';
import type { messageBody, SendBody } from '../threads/message-requests-wire.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';

/** A field that can't be honoured: it may only be there without a value. */
export const refusedOption = (why: string): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .refine((value) => value == null || (Array.isArray(value) && value.length === 0), { error: why })
    .optional();

/** OpenAI's response format, as providers of chat completions get it. */
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

/** Content of a message in Letta's form. */
export type Content = z.infer<typeof messageBody>['content'];

/** A message of OpenAI's, with any role. */
interface Said {
  readonly role: string;
  readonly content: Content | null;
}

/**
 * The messages of a request that the agent has not heard yet, as a request in Letta's form: the user's last ones. Earlier
 * messages are the client's copy of the conversation; the agent has its own. Undefined where there are none.
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

/** An image, by its address or as a data URL, as content in Letta's form. */
export function toImage(url: string): Exclude<Content, string>[number] {
  return { type: 'image', source: { type: 'url', url } };
}

/**
 * What an agent said in a turn. Where a document was asked for, only the last message: the document must not be mixed
 * with words said before it.
 */
export function saidIn(
  { messages }: LettaResponse,
  format: ResponseFormat | undefined,
): readonly { readonly id: string; readonly otid: string | null; readonly content: string }[] {
  const said = messages.flatMap((one) => (one.message_type === 'assistant_message' ? [one] : []));
  return asksForDocument(format) ? said.slice(-1) : said;
}

/** Whether the format asks for one document instead of plain text. */
export function asksForDocument(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format.type !== 'text';
}

/** The key that all fragments of one message share: an answer may hold several messages, each with its own otid. */
export function wordsKey({ id, otid }: { readonly id: string; readonly otid: string | null }): string {
  return otid ?? id;
}
