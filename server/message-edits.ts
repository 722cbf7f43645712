import { z } from 'zod';
import type { Agent } from '../core/agents.js';
import type { MessageEdit } from '../core/chores.js';
import { MessageNotFoundError } from '../schema/thread-errors.js';
import { getMessages } from '../schema/messages.js';
import { editedBody } from '../schema/thread-chores.js';
import { doChore } from './chores.js';
import type { RouteContext } from './context.js';
import type { WireMessage } from './wire/message-shapes.js';
import { toWireMessages } from './wire/messages.js';
import { toRendering } from './wire/rendering.js';

const parts = z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]);

/** What a message is to say instead, by its type. */
export const messageChange = z.discriminatedUnion('message_type', [
  z.object({ message_type: z.literal('user_message'), content: parts }),
  z.object({ message_type: z.literal('system_message'), content: parts }),
  z.object({ message_type: z.literal('assistant_message'), content: parts }),
  z.object({ message_type: z.literal('reasoning_message'), reasoning: z.string() }),
]);

/**
 * Changes what a message of the agent says, once the turns before it have ended, and shows it. Throws
 * MessageNotFoundError where the agent has no such message, or it has no such part.
 */
export async function editMessage(
  context: RouteContext,
  wish: {
    readonly agent: Agent;
    readonly messageId: string;
    readonly change: z.infer<typeof messageChange>;
  },
): Promise<WireMessage> {
  const { agent, messageId, change } = wish;
  const { db } = context;
  const [message] = await getMessages(db, [messageId]);
  const where = `with such a part among those of agent ${agent.id}`;
  if (message?.agentId !== agent.id) throw new MessageNotFoundError(messageId, where);
  const chore = { kind: 'edit' as const, messageId, edit: toEdit(change) };
  if ((await editedBody(db, message.threadId, chore)) === undefined) {
    throw new MessageNotFoundError(messageId, where);
  }
  await doChore(context, message.threadId, chore);
  const [edited] = await getMessages(db, [messageId]);
  const shown =
    edited === undefined ? [] : toWireMessages(edited, toRendering(agent, {}, context.extensions));
  const same = shown.find((one) => one.message_type === change.message_type) ?? shown[0];
  if (same === undefined) throw new MessageNotFoundError(messageId, where);
  return same;
}

function toEdit(body: z.infer<typeof messageChange>): MessageEdit {
  switch (body.message_type) {
    case 'reasoning_message':
      return { part: 'reasoning', text: body.reasoning };
    case 'user_message':
      return { part: 'user', text: toText(body.content) };
    case 'system_message':
      return { part: 'system', text: toText(body.content) };
    case 'assistant_message':
      return { part: 'assistant', text: toText(body.content) };
  }
}

function toText(content: z.infer<typeof parts>): string {
  return typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
}
