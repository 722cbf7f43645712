import { z } from 'zod';
import type { Agent } from '../../core/agents/agents.js';
import type { MessageEdit } from '../../core/turns/chores.js';
import type { Message } from '../../core/threads/messages.js';
import { MessageNotFoundError } from '../../schema/threads/errors.js';
import { getMessages } from '../../schema/threads/messages.js';
import { editedBody } from '../../schema/threads/chores.js';
import { doChore } from './chores.js';
import type { RouteContext } from '../context.js';
import type { WireMessage } from './message-shapes-wire.js';
import { toWireMessages } from './messages-wire.js';
import { toRendering } from './rendering-wire.js';

const parts = z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]);

/** The new text of a message, by message type. Clients of 0.1.x leave the type out: then it is the message's own. */
export const messageChange = z.discriminatedUnion('message_type', [
  z.object({ message_type: z.literal('user_message'), content: parts }),
  z.object({ message_type: z.literal('system_message'), content: parts }),
  z.object({ message_type: z.literal('assistant_message'), content: parts }),
  z.object({ message_type: z.literal('reasoning_message'), reasoning: z.string() }),
  z
    .object({
      message_type: z.literal('message').optional(),
      content: parts.optional(),
      reasoning: z.string().optional(),
    })
    .refine(
      ({ content, reasoning }) => (content === undefined) !== (reasoning === undefined),
      'must have either `content` or `reasoning`',
    ),
]);

type MessageChange = z.infer<typeof messageChange>;

/** A request to change what a message says. */
export interface MessageEditRequest {
  readonly agent: Agent;
  readonly messageId: string;
  readonly change: MessageChange;
}

/**
 * Changes what a message of the agent says, after the turns that are already queued, and returns the changed message.
 * Throws MessageNotFoundError where the agent has no such message, or the message no such part.
 */
export async function editMessage(context: RouteContext, wish: MessageEditRequest): Promise<WireMessage> {
  const { agent, messageId, change } = wish;
  const { db } = context;
  const [message] = await getMessages(db, [messageId]);
  const where = `with such a part among those of agent ${agent.id}`;
  if (message?.agentId !== agent.id) throw new MessageNotFoundError(messageId, where);
  const edit = toEdit(change, message);
  const chore = { kind: 'edit' as const, messageId, edit };
  if ((await editedBody(db, message.threadId, chore)) === undefined) {
    throw new MessageNotFoundError(messageId, where);
  }
  await doChore(context, message.threadId, chore);
  const [edited] = await getMessages(db, [messageId]);
  const shown =
    edited === undefined ? [] : toWireMessages(edited, toRendering(agent, {}, context.extensions));
  const same = shown.find((one) => one.message_type === `${edit.part}_message`) ?? shown[0];
  if (same === undefined) throw new MessageNotFoundError(messageId, where);
  return same;
}

function toEdit(change: MessageChange, message: Message): MessageEdit {
  switch (change.message_type) {
    case 'reasoning_message':
      return { part: 'reasoning', text: change.reasoning };
    case 'user_message':
      return { part: 'user', text: toText(change.content) };
    case 'system_message':
      return { part: 'system', text: toText(change.content) };
    case 'assistant_message':
      return { part: 'assistant', text: toText(change.content) };
    default:
      return change.content === undefined
        ? { part: 'reasoning', text: change.reasoning ?? '' }
        : { part: ownPart(message), text: toText(change.content) };
  }
}

/** The part of a message that holds its text. A message without it is refused when it is edited. */
function ownPart({ body: { kind } }: Message): MessageEdit['part'] {
  return kind === 'user' || kind === 'system' ? kind : 'assistant';
}

function toText(content: z.infer<typeof parts>): string {
  return typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
}
