import { z } from 'zod';
import { forkConversation } from '../../schema/past/conversation-forks.js';
import {
  type Conversation,
  createConversation,
  deleteConversation,
  listConversations,
  purgeConversation,
  requireConversation,
  updateConversation,
} from '../../schema/threads/conversations.js';
import { queuedIds } from '../../schema/threads/messages.js';
import { listTurns } from '../../schema/turns/turns.js';
import { cancelTurns } from '../turns/cancelling.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { findModel } from '../models/model-choice.js';
import { systemMessageId } from './system-messages.js';
import { requireThread } from './thread-lookup.js';
import {
  conversationParams,
  createConversationBody,
  fromConversationBody,
  threadParams,
  toWireConversation,
  updateConversationBody,
  wireConversation,
  type WireConversation,
} from './conversations-wire.js';
import { pageFields, queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toModelSettings } from '../models/model-configs-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

const listQuery = z.object({
  ...pageFields(idOf('conv'), 50),
  order_by: z.enum(['created_at', 'last_message_at', 'last_run_completion']).default('created_at'),
  agent_id: idOf('agent').optional(),
  archive_status: z.enum(['unarchived', 'archived', 'all']).default('all'),
  summary_search: z.string().optional(),
});

const agentQuery = z.object({ agent_id: idOf('agent').optional() });

/** An agent's conversations: create, list, retrieve, change, delete, fork, cancel. */
export function conversationRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const conversations = createResource(app, {
    ...{ path: '/v1/conversations', operations: 'conversations' },
    ...{ params: conversationParams, item: wireConversation },
  });
  createRoute(app, context);
  conversations.list(
    'List conversations, newest first; hidden ones are left out',
    { query: listQuery, order: 'desc' },
    async ({ query }, page) => {
      const { agent_id: agentId, archive_status: archive, summary_search: summary, order_by: order } = query;
      const archived = archive === 'all' ? undefined : archive === 'archived';
      const filter = { agentId, archived, summary };
      return viewConversations(context, await listConversations(db, filter, order, page));
    },
  );
  conversations.retrieve('Retrieve a conversation', async ({ params }) =>
    viewConversation(context, await requireConversation(db, params.conversation_id)),
  );
  conversations.change(
    'update',
    'Change a conversation',
    updateConversationBody,
    async ({ params, body }) => {
      findModel(context, { model: body.model });
      const archived = body.archived == null ? {} : { archived: body.archived };
      const patch = { ...fromConversationBody(body), ...archived };
      return viewConversation(context, await updateConversation(db, params.conversation_id, patch));
    },
  );
  conversations.delete('Delete a conversation and cancel what runs in it', async ({ params }) => {
    const id = params.conversation_id;
    await deleteConversation(db, id);
    const unfinished = await listTurns(db, { threadId: id, states: ['created', 'running'] }, {});
    await Promise.all(unfinished.map((turn) => context.turns.cancel(turn.id)));
    // Turns that still run need these rows to end in order; the rows are purged later.
    if (unfinished.length === 0) await purgeConversation(db, id);
  });
  forkAndCancelRoutes(app, context);
}

function createRoute(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/conversations',
    {
      schema: {
        ...describeRoute('conversations.create', 'Create a conversation with an agent'),
        querystring: z.object({ agent_id: idOf('agent') }),
        body: createConversationBody,
        response: { 200: wireConversation },
      },
    },
    async ({ query, body }) => {
      findModel(context, { model: body?.model });
      const made = await createConversation(db, query.agent_id, fromConversationBody(body ?? {}));
      return viewConversation(context, made);
    },
  );
}

function forkAndCancelRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/conversations/:conversation_id/fork',
    {
      schema: {
        ...describeRoute(
          'conversations.fork',
          'Create a conversation that begins with the context of another',
        ),
        params: threadParams,
        querystring: agentQuery.extend({
          message_id: idOf('message').optional(),
          hidden: queryBoolean.optional(),
        }),
        response: { 200: wireConversation },
      },
    },
    async ({ params, query }) => {
      const { threadId } = await requireThread(db, params.conversation_id, query.agent_id);
      const fork = { threadId, upTo: query.message_id, hidden: query.hidden };
      return viewConversation(context, await forkConversation(db, fork));
    },
  );
  app.post(
    '/v1/conversations/:conversation_id/cancel',
    {
      schema: {
        ...describeRoute('conversations.cancel', 'Cancel a conversation’s active runs'),
        params: threadParams,
        querystring: agentQuery,
        response: { 200: z.record(z.string(), z.string()) },
      },
    },
    async ({ params, query }) => {
      const { agent, threadId } = await requireThread(db, params.conversation_id, query.agent_id);
      return cancelTurns(context, { agentId: agent.id, threadId });
    },
  );
}

async function viewConversation(
  context: RouteContext,
  conversation: Conversation,
): Promise<WireConversation> {
  const queued = await queuedIds(context.db, [conversation.id]);
  return toView(context, conversation, queued);
}

async function viewConversations(
  context: RouteContext,
  conversations: readonly Conversation[],
): Promise<WireConversation[]> {
  const queued = await queuedIds(
    context.db,
    conversations.map(({ id }) => id),
  );
  return conversations.map((one) => toView(context, one, queued));
}

/** A conversation as the API shows it. `queued`: the ids of messages in context, by thread. */
function toView(
  { models }: RouteContext,
  conversation: Conversation,
  queued: ReadonlyMap<string, readonly string[]>,
): WireConversation {
  const { id, model, agentModel, modelSettings } = conversation;
  return toWireConversation(conversation, {
    messageIds: [systemMessageId(id), ...(queued.get(id) ?? [])],
    modelSettings:
      modelSettings === null ? null : toModelSettings(models.describe(model ?? agentModel), modelSettings),
  });
}
