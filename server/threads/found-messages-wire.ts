import { z } from 'zod';
import type { Message } from '../../core/threads/messages.js';
import { toWireMessages } from './messages-wire.js';
import type { Rendering } from './rendering-wire.js';

const found = {
  message_id: z.string(),
  created_at: z.string(),
  agent_id: z.string(),
  conversation_id: z.string().nullable(),
};

/** A message as searches show it. */
export const foundMessage = z
  .discriminatedUnion('message_type', [
    z.object({ ...found, message_type: z.literal('system_message'), content: z.string() }),
    z.object({ ...found, message_type: z.literal('user_message'), content: z.unknown() }),
    z.object({ ...found, message_type: z.literal('assistant_message'), content: z.string() }),
    z.object({ ...found, message_type: z.literal('reasoning_message'), reasoning: z.string() }),
  ])
  .meta({ id: 'MessageSearchResult' });

/** A stored message as searches show it: texts and reasoning, without tool calls. */
export function toFoundMessages(message: Message, rendering: Rendering): z.infer<typeof foundMessage>[] {
  const head = {
    message_id: message.id,
    created_at: message.createdAt.toISOString(),
    agent_id: message.agentId,
    conversation_id: message.threadId === message.agentId ? null : message.threadId,
  };
  return toWireMessages(message, rendering).flatMap((part): z.infer<typeof foundMessage>[] => {
    switch (part.message_type) {
      case 'user_message':
        return [{ ...head, message_type: part.message_type, content: part.content }];
      case 'system_message':
      case 'assistant_message':
        return [{ ...head, message_type: part.message_type, content: part.content }];
      case 'reasoning_message':
        return [{ ...head, message_type: part.message_type, reasoning: part.reasoning }];
      default:
        return [];
    }
  });
}
