import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Agent } from '../../core/agents/agents.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { ConversationNotFoundError } from '../../schema/threads/errors.js';
import { listMessages } from '../../schema/threads/messages.js';
import type { Page } from '../../schema/db/paging.js';
import type { Turn } from '../../schema/turns/records.js';
import { throughOutages } from '../../client/outages.js';
import { cancelTurns } from '../turns/cancels.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { requireThread } from './threads.js';
import type { readShown } from '../http/filtered-pages.js';
import { readOldestFirst } from '../http/filtered-pages.js';
import { withSystemMessage } from './system-messages.js';
import { checkStreaming, sendMessages, toResponse, toRunStream } from '../turns/sends.js';
import { keepAliveOf, streamRun } from '../streams/run-stream.js';
import type { RunStream } from '../streams/run-stream.js';
import { pageFields, queryBoolean, queryList, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { sendBody } from './message-requests-wire.js';
import { wireMessage, type WireMessage } from './message-shapes-wire.js';
import { toWireMessages } from './messages-wire.js';
import { toRendering } from './rendering-wire.js';
import { lettaResponse, type LettaResponse } from '../http/responses-wire.js';
import { viewRun } from '../turns/run-views.js';
import { wireRun } from '../turns/runs-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/route-documentation.js';

/** What a list of messages can be asked for. */
export const messageListQuery = z.object({
  ...pageFields(idOf('message'), 100),
  use_assistant_message: queryBoolean.optional(),
  assistant_message_tool_name: z.string().optional(),
  assistant_message_tool_kwarg: z.string().optional(),
  include_return_message_types: queryList.optional(),
});

/** What a list of one thread's messages can be asked for: also what a group's talks brought into it. */
export const threadListQuery = messageListQuery.extend({ group_id: idOf('group').optional() });

const agentListQuery = threadListQuery.extend({
  conversation_id: z.union([idOf('conv'), idOf('agent'), z.literal('default')]).optional(),
});

const cancelBody = z.object({ run_ids: z.array(idOf('run')).nullish() }).nullish();

/** What is said to an agent and what it says: send, stream, list, cancel. */
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
      const { body, params } = request;
      checkStreaming(request, body);
      const agent = await requireAgent(db, params.agent_id);
      const isStreaming = body.streaming === true;
      const turn = await sendMessages(context, request, agent, body, {
        streamTokens: isStreaming && body.stream_tokens === true,
        background: isStreaming && body.background === true,
      });
      if (!isStreaming) return waitAndReply(context, reply, agent, turn);
      const wish = { pings: body.include_pings, startingAfter: 0 };
      return replyStream(context, reply, toRunStream(context, request, { agent, turn, ...wish }));
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
      const { body, params } = request;
      const agent = await requireAgent(db, params.agent_id);
      const turn = await sendMessages(context, request, agent, body, {
        streamTokens: body.stream_tokens === true,
        background: body.background === true,
      });
      const wish = { pings: body.include_pings, startingAfter: 0 };
      return replyStream(context, reply, toRunStream(context, request, { agent, turn, ...wish }));
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

/** Sends a stream as the reply. Used by every route that streams a run. */
export function replyStream(context: RouteContext, reply: FastifyReply, stream: RunStream): never {
  const onBroken = (error: unknown): void => {
    reply.log.error({ err: error, runId: stream.turn.id }, 'a stream broke off');
  };
  const sent = context.streams.send(reply, {
    source: (signal) => streamRun({ db: context.db, turns: context.turns, onBroken }, stream, signal),
    keepAlive: keepAliveOf(stream),
  });
  // Routes are typed by what they answer in JSON; a stream is sent already, and Fastify takes the reply itself for that.
  return sent as never;
}

/** Waits for the turn's end and replies with what it said. Used by every route that waits for a run. */
export async function waitAndReply(
  context: RouteContext,
  reply: FastifyReply,
  agent: Agent,
  turn: Turn,
): Promise<LettaResponse> {
  const signal = context.streams.signalOf(reply);
  try {
    const ended = await context.turns.result(turn.id, { signal });
    return await throughOutages(() => toResponse(context, agent, ended), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // The client is gone, or the server stops. The turn goes on; whoever asks again with the same request finds it.
    reply.raw.destroy();
    return reply.hijack() as never;
  }
}

/** A page of a thread's messages, as the client that asks wants them shown, and which way its pages go. */
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
    show: (message, beside) => toWireMessages(message, rendering, beside),
  });
}

function listRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/agents/:agent_id/messages',
    {
      schema: {
        ...describeRoute('agents.messages.list', 'List an agent’s messages: the newest, oldest first'),
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
          'Cancel an agent’s runs: those named, else all that are under way',
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
