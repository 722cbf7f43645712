import type { z } from 'zod';
import type { Agent } from '../../core/agents/agents.js';
import type { Page } from '../../schema/db/paging.js';
import { listMessages } from '../../schema/threads/messages.js';
import type { RouteContext } from '../context.js';
import { toPage } from '../http/fields-wire.js';
import type { threadListQuery } from './message-lists-wire.js';
import { readOldestFirst, type readShown } from './message-pages.js';
import type { WireMessage } from './message-shapes-wire.js';
import { toWireMessages } from './messages-wire.js';
import { toRendering } from './rendering-wire.js';
import { withSystemMessage } from './system-messages.js';

/** A page of a thread's messages in the form that the query asks for. `readPage` decides in which order they come. */
export async function listThread(
  context: RouteContext,
  { agent, threadId }: { readonly agent: Agent; readonly threadId: string },
  query: z.infer<typeof threadListQuery>,
  readPage: typeof readShown = readOldestFirst,
): Promise<WireMessage[]> {
  const { db, extensions } = context;
  const rendering = toRendering(agent, query, extensions);
  const read = (part: Page) => listMessages(db, { threadId, talksOf: query.group_id }, part);
  const thread = { agentId: agent.id, threadId };
  return readPage(db, toPage(query, 'desc'), {
    read: query.group_id === undefined ? withSystemMessage(context, thread, read) : read,
    show: (message, siblings) => toWireMessages(message, rendering, siblings),
  });
}
