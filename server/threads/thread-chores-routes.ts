import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import { readSummary } from '../../schema/threads/evictions.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { readThread } from '../../schema/threads/threads.js';
import { viewAgent } from '../agents/agent-views.js';
import { doChore } from './chores.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { editMessage, messageChange } from './message-edits.js';
import { RequestRefusedError } from '../http/problems.js';
import { requireThread } from './thread-lookup.js';
import { wireAgent } from '../agents/agents-wire.js';
import { threadParams } from './conversations-wire.js';
import { compactionSettings } from './compaction-wire.js';
import { idOf } from '../http/ids-wire.js';
import { wireMessage } from './message-shapes-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const compaction = z.object({
  summary: z.string(),
  num_messages_before: z.number(),
  num_messages_after: z.number(),
});

const compactBody = z
  .object({ agent_id: idOf('agent').nullish(), compaction_settings: compactionSettings.nullish() })
  .nullish();

const resetBody = z.object({ add_default_initial_messages: z.boolean().nullish() }).nullish();

/** Chores of a thread: compact, reset, edit a message. Each waits for the turns before it. */
export function threadChoreRoutes(app: App, context: RouteContext): void {
  compactRoutes(app, context);
  resetRoute(app, context);
  editRoute(app, context);
}

function compactRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/agents/:agent_id/summarize',
    {
      schema: {
        ...describeRoute('agents.messages.compact', 'Summarise what an agent has in context'),
        params: agentParams,
        body: compactBody,
        response: { 200: compaction },
      },
    },
    async ({ params, body }) =>
      compact(context, (await requireAgent(db, params.agent_id)).id, body?.compaction_settings),
  );
  app.post(
    '/v1/conversations/:conversation_id/compact',
    {
      schema: {
        ...describeRoute('conversations.messages.compact', 'Summarise what a conversation has in context'),
        params: threadParams,
        body: compactBody,
        response: { 200: compaction },
      },
    },
    async ({ params, body }) => {
      const { threadId } = await requireThread(db, params.conversation_id, body?.agent_id);
      return compact(context, threadId, body?.compaction_settings);
    },
  );
}

async function compact(
  context: RouteContext,
  threadId: string,
  settings: z.infer<typeof compactionSettings> | null | undefined,
): Promise<z.infer<typeof compaction>> {
  const { db } = context;
  const before = await countContext(db, threadId);
  if (before.messages === 0) {
    throw new RequestRefusedError(400, `Nothing to compact in ${threadId}: no messages are in context.`);
  }
  await doChore(context, threadId, { kind: 'compact', ...(settings == null ? {} : { settings }) });
  const after = await countContext(db, threadId);
  return {
    summary: after.summary,
    num_messages_before: before.shown,
    num_messages_after: after.shown,
  };
}

/** What is in context. `shown` counts as Letta does: with the system message, and with the summary as a message. */
async function countContext(db: Db, threadId: string) {
  const [thread, queue] = await Promise.all([readThread(db, threadId), loadQueue(db, threadId)]);
  const summary = thread === undefined ? '' : await readSummary(db, thread);
  return { summary, messages: queue.length, shown: 1 + (summary === '' ? 0 : 1) + queue.length };
}

function resetRoute(app: App, context: RouteContext): void {
  app.patch(
    '/v1/agents/:agent_id/reset-messages',
    {
      schema: {
        ...describeRoute(
          'agents.messages.reset',
          'Delete all messages of an agent’s default thread; `add_default_initial_messages` has no effect',
        ),
        params: agentParams,
        body: resetBody,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      const agent = await requireAgent(context.db, params.agent_id);
      await doChore(context, agent.id, { kind: 'reset' });
      return viewAgent(context, agent);
    },
  );
}

function editRoute(app: App, context: RouteContext): void {
  const { db } = context;
  app.patch(
    '/v1/agents/:agent_id/messages/:message_id',
    {
      schema: {
        ...describeRoute('agents.messages.modify', 'Change what a message says'),
        params: agentParams.extend({ message_id: idOf('message') }),
        body: messageChange,
        response: { 200: wireMessage },
      },
    },
    async ({ params, body }) => {
      const agent = await requireAgent(db, params.agent_id);
      return editMessage(context, { agent, messageId: params.message_id, change: body });
    },
  );
}
