import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { ConversationNotFoundError } from '../../schema/threads/errors.js';
import { throughOutages } from '../../client/outages.js';
import { cancelTurns } from '../turns/cancelling.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { requireThread } from './thread-lookup.js';
import { checkStreaming, sendMessages } from '../turns/sending.js';
import { idOf } from '../http/ids-wire.js';
import { sendBody } from './message-requests-wire.js';
import { wireMessage } from './message-shapes-wire.js';
import { lettaResponse } from '../turns/letta-response-wire.js';
import { viewRun } from '../turns/run-views.js';
import { wireRun } from '../turns/runs-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { listThread } from './thread-lists.js';
import { threadListQuery } from './message-lists-wire.js';
import { sendAndReply } from '../turns/replies.js';
import { agentParams } from '../http/params-wire.js';

const agentListQuery = threadListQuery.extend({
  conversation_id: z.union([idOf('conv'), idOf('agent'), z.literal('default')]).optional(),
});

const cancelBody = z.object({ run_ids: z.array(idOf('run')).nullish() }).nullish();

/** Messages of an agent: send, stream, list, cancel. */
export function messageRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/agents/:agent_id/messages',
    {
      schema: {
        ...describeRoute(
          'agents.messages.create',
          'Send messages and wait for the answer, or stream it with `streaming`',
        ),
        params: agentParams,
        body: sendBody,
        response: { 200: lettaResponse },
      },
    },
    async (request, reply) => {
      checkStreaming(request, request.body);
      const agent = await requireAgent(db, request.params.agent_id);
      return sendAndReply(context, request, reply, { agent, isStreaming: request.body.streaming === true });
    },
  );
  app.post(
    '/v1/agents/:agent_id/messages/stream',
    {
      schema: {
        ...describeRoute(
          'agents.messages.stream',
          'Send messages and stream the answer as server-sent events',
        ),
        params: agentParams,
        body: sendBody,
      },
    },
    async (request, reply) => {
      const agent = await requireAgent(db, request.params.agent_id);
      return sendAndReply(context, request, reply, { agent, isStreaming: true });
    },
  );
  app.post(
    '/v1/agents/:agent_id/messages/async',
    {
      schema: {
        ...describeRoute('agents.messages.create_async', 'Send messages and get the run that answers them'),
        params: agentParams,
        body: sendBody,
        response: { 200: wireRun },
      },
    },
    async (request) => {
      const agent = await requireAgent(db, request.params.agent_id);
      const mode = { streamTokens: request.body.stream_tokens === true, background: true, queues: true };
      const turn = await sendMessages(context, request, agent, request.body, mode);
      return throughOutages(() => viewRun(context, turn));
    },
  );
  listRoute(app, context);
  cancelRoute(app, context);
}

function listRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/agents/:agent_id/messages',
    {
      schema: {
        ...describeRoute('agents.messages.list', 'List an agent’s newest messages, oldest first'),
        params: agentParams,
        querystring: agentListQuery,
        response: { 200: z.array(wireMessage) },
      },
    },
    async (request) => {
      const { params, query } = request;
      const agent = await requireAgent(context.db, params.agent_id);
      const thread = await requireThread(context.db, query.conversation_id ?? agent.id, agent.id);
      if (thread.agent.id !== agent.id) throw new ConversationNotFoundError(thread.threadId);
      return listThread(context, thread, query);
    },
  );
}

function cancelRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/agents/:agent_id/messages/cancel',
    {
      schema: {
        ...describeRoute(
          'agents.messages.cancel',
          'Cancel an agent’s runs: those in `run_ids`, else all active ones',
        ),
        params: agentParams,
        body: cancelBody,
        response: { 200: z.record(z.string(), z.string()) },
      },
    },
    async ({ params, body }) => {
      const agent = await requireAgent(context.db, params.agent_id);
      return cancelTurns(context, { agentId: agent.id, turnIds: body?.run_ids });
    },
  );
}
