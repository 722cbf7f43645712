import { z } from 'zod';
import { RequestRefusedError } from '../http/problems.js';
import { idOf } from '../http/ids-wire.js';
import { toImageSource, type WireContent } from '../threads/content-wire.js';
import { type SendBody, whenBusy } from '../threads/message-requests-wire.js';
import type { ShownCalls } from './ui-chunks-wire.js';

/** The chat's id: the thread that it is with. */
export const chatId = z.union([idOf('agent'), idOf('conv')], {
  error: 'must be the id of an agent or of a conversation. Set it as `id` of useChat',
});

const toolPart = z.looseObject({
  type: z.string().regex(/^(dynamic-tool$|tool-)/),
  toolCallId: z.string(),
  state: z.string(),
  approval: z.looseObject({ approved: z.boolean().optional(), reason: z.string().optional() }).optional(),
});
const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const filePart = z.looseObject({ type: z.literal('file'), mediaType: z.string(), url: z.string() });

const uiMessage = z.looseObject({
  id: z.string().min(1),
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(z.looseObject({ type: z.string() })),
});

/** What the AI SDK’s `DefaultChatTransport` sends. */
export const chatBody = z
  .looseObject({
    id: chatId,
    messages: z.array(uiMessage).min(1),
    trigger: z.string().optional(),
    when_busy: whenBusy.nullish(),
  })
  .meta({ id: 'UIChatRequest' });

export type ChatBody = z.infer<typeof chatBody>;

/** What a chat's request brings that the agent has not heard yet. */
export interface ChatSend {
  readonly body: SendBody;
  /** Equal for the same message, so that it is sent once however often it is posted. */
  readonly key: string;
  /** The message that the answer goes on; undefined: the answer is a message of its own. */
  readonly continues: string | undefined;
  readonly shown: ShownCalls;
}

/** What a page has before the first chunk where it shows no calls yet. */
export const nothingShown: ShownCalls = { ids: new Set(), denied: new Set() };

/** The last message of a chat, as a request to its agent, which remembers the others. Throws RequestRefusedError. */
export function toChatSend({ messages, trigger, when_busy }: ChatBody): ChatSend {
  const last = messages.at(-1);
  if (trigger === 'regenerate-message') {
    throw refused(
      'trigger: an agent remembers what it said, so an answer can’t be made again. Send a new message, or fork the agent.',
    );
  }
  if (last?.role === 'user') {
    const body = { messages: [{ role: 'user' as const, content: toContent(last.parts) }], when_busy };
    return { body, key: `ui:${last.id}`, continues: undefined, shown: nothingShown };
  }
  return toDecisions(last);
}

function toContent(parts: z.infer<typeof uiMessage>['parts']): WireContent {
  const content = parts.flatMap((part): Exclude<WireContent, string> => {
    const text = textPart.safeParse(part).data;
    if (text !== undefined) return [{ type: 'text', text: text.text }];
    const file = filePart.safeParse(part).data;
    if (file === undefined) return [];
    if (!file.mediaType.startsWith('image/')) {
      throw refused(
        `messages: a file of type ${file.mediaType} can’t be sent, only images. Upload it to a source of the agent.`,
      );
    }
    return [{ type: 'image', source: toImageSource(file.url) }];
  });
  if (content.length === 0) throw refused('messages: the last message has neither text nor an image.');
  return content;
}

/** Answers to approval requests, which stand in the agent's last message. */
function toDecisions(last: z.infer<typeof uiMessage> | undefined): ChatSend {
  const calls = (last?.parts ?? []).flatMap((part) => toolPart.safeParse(part).data ?? []);
  const decided = calls.filter(({ state }) => state === 'approval-responded');
  if (last?.role !== 'assistant' || decided.length === 0) {
    throw refused(
      'messages: the last message must be the user’s, or the agent’s with an answer to an approval request. The agent remembers what came before.',
    );
  }
  const approvals = decided.map(({ toolCallId, approval }) => ({
    ...{ type: 'approval' as const, tool_call_id: toolCallId },
    ...{ approve: approval?.approved === true, reason: approval?.reason ?? null },
  }));
  return {
    body: { messages: [{ type: 'approval', approvals }] },
    key: `ui:${decided.map(({ toolCallId }) => toolCallId).join(':')}`,
    continues: last.id,
    shown: {
      ids: new Set(calls.map(({ toolCallId }) => toolCallId)),
      denied: new Set(approvals.filter(({ approve }) => !approve).map((one) => one.tool_call_id)),
    },
  };
}

function refused(message: string): RequestRefusedError {
  return new RequestRefusedError(422, `body.${message}`);
}
