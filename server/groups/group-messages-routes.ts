import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { throughOutages } from '../../client/outages.js';
import { getAgents, requireAgent } from '../../schema/agents/agents.js';
import { requireGroup } from '../../schema/groups/groups.js';
import { listMessages } from '../../schema/threads/messages.js';
import { agentsThatHeard } from '../../schema/groups/talk-forgetting.js';
import type { Talk } from '../../schema/groups/talks.js';
import { MessageNotFoundError } from '../../schema/threads/errors.js';
import { doChore } from '../threads/chores.js';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { editInGroup } from './edits.js';
import { messageChange } from '../threads/message-edits.js';
import { readOldestFirst } from '../http/filtered-pages.js';
import { streamTalk, type TalkStream } from '../streams/talk-stream.js';
import { sseComment } from '../streams/sse.js';
import { sendToGroup, spokenBy, toTalkResponse } from './talks.js';
import { toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { sendBody } from '../threads/message-requests-wire.js';
import { wireMessage } from '../threads/message-shapes-wire.js';
import { toWireMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import { lettaResponse, type LettaResponse } from '../http/responses-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { groupParams } from './groups-routes.js';
import { messageListQuery } from '../threads/messages-routes.js';

/** What is said to a group and in it: send, stream, list, change, cancel, forget. */
export function groupMessageRoutes(app: App, context: RouteContext): void {
  sendRoutes(app, context);
  listRoute(app, context);
  changeRoutes(app, context);
}

function sendRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/groups/:group_id/messages',
    {
      schema: {
        ...describeRoute(
          'groups.messages.create',
          'Send messages to a group and wait until its agents have spoken',
        ),
        params: groupParams,
        body: sendBody,
        response: { 200: lettaResponse },
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      const group = await requireGroup(db, params.group_id);
      const isStreaming = body.streaming === true;
      const streamTokens = isStreaming && body.stream_tokens === true;
      const talk = await sendToGroup(context, request, group, { body, streamTokens });
      return isStreaming
        ? replyTalk(context, reply, toStream(request, talk))
        : waitForTalk(context, reply, talk);
    },
  );
  app.post(
    '/v1/groups/:group_id/messages/stream',
    {
      schema: {
        ...describeRoute(
          'groups.messages.create_stream',
          'Send messages to a group and stream what its agents say as server-sent events',
        ),
        params: groupParams,
        body: sendBody,
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      const group = await requireGroup(db, params.group_id);
      const streamTokens = body.stream_tokens === true;
      const talk = await sendToGroup(context, request, group, { body, streamTokens });
      return replyTalk(context, reply, toStream(request, talk));
    },
  );
}

function toStream(request: Pick<FastifyRequest, 'headers'>, talk: Talk): TalkStream {
  return { talk, showsStopReason: callerOf(request).generation !== '0.1' };
}

function replyTalk(context: RouteContext, reply: FastifyReply, stream: TalkStream): never {
  const onBroken = (error: unknown): void => {
    reply.log.error({ err: error, talkId: stream.talk.id }, 'a stream broke off');
  };
  const sent = context.streams.send(reply, {
    source: (signal) => streamTalk({ ...context, onBroken }, stream, signal),
    keepAlive: () => sseComment,
  });
  // As for any stream: Fastify takes the reply itself for what is sent already.
  return sent as never;
}

async function waitForTalk(context: RouteContext, reply: FastifyReply, talk: Talk): Promise<LettaResponse> {
  const signal = context.streams.signalOf(reply);
  try {
    const ended = await context.talks.result(talk.id, { signal });
    return await throughOutages(() => toTalkResponse(context, ended), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    // The client is gone, or the server stops. The talk goes on; whoever asks again with the same request finds it.
    reply.raw.destroy();
    return reply.hijack() as never;
  }
}

function listRoute(app: App, { db, extensions }: RouteContext): void {
  app.get(
    '/v1/groups/:group_id/messages',
    {
      schema: {
        ...describeRoute(
          'groups.messages.list',
          'List what a group’s users and agents said in it: the newest, oldest first',
        ),
        params: groupParams,
        querystring: messageListQuery,
        response: { 200: z.array(wireMessage) },
      },
    },
    async (request) => {
      const { params, query } = request;
      const { id: groupId } = await requireGroup(db, params.group_id);
      const asked = toPage(query, 'desc');
      const agents = new Map(
        (await getAgents(db, await agentsThatHeard(db, groupId))).map((agent) => [agent.id, agent]),
      );
      return readOldestFirst(db, asked, {
        read: (page) => listMessages(db, { groupId }, page),
        show: (message, beside) => {
          const agent = agents.get(message.agentId);
          if (agent === undefined) return [];
          const shown = toWireMessages(message, toRendering(agent, query, extensions), beside);
          return message.stepId === null ? shown : shown.map((one) => spokenBy(agent, one));
        },
      });
    },
  );
}

function changeRoutes(app: App, context: RouteContext): void {
  const { db, talks } = context;
  app.patch(
    '/v1/groups/:group_id/messages/:message_id',
    {
      schema: {
        ...describeRoute(
          'groups.messages.modify',
          'Change what a message of a group says, as its own agent remembers it and as the others have heard it',
        ),
        params: groupParams.extend({ message_id: idOf('message') }),
        body: messageChange,
        response: { 200: wireMessage },
      },
    },
    async ({ params, body }) => {
      const { id: groupId } = await requireGroup(db, params.group_id);
      const messageId = params.message_id;
      const [message] = await listMessages(db, { groupId, ids: [messageId] }, {});
      if (message === undefined) throw new MessageNotFoundError(messageId, `among those of group ${groupId}`);
      const agent = await requireAgent(db, message.agentId);
      return editInGroup(context, { agent, messageId, change: body });
    },
  );
  app.post(
    '/v1/groups/:group_id/messages/cancel',
    {
      schema: {
        ...describeRoute(
          'groups.messages.cancel',
          'End what a group’s agents talk about; what was said stays',
        ),
        params: groupParams,
      },
    },
    async ({ params }) => {
      await talks.cancel((await requireGroup(db, params.group_id)).id);
      return null;
    },
  );
  app.patch(
    '/v1/groups/:group_id/reset-messages',
    {
      schema: {
        ...describeRoute(
          'groups.messages.reset',
          'Forget what was said in a group; its agents’ other messages stay',
        ),
        params: groupParams,
      },
    },
    async ({ params }) => {
      const { id: groupId } = await requireGroup(db, params.group_id);
      await talks.cancel(groupId);
      const agentIds = await agentsThatHeard(db, groupId);
      await Promise.all(agentIds.map((id) => doChore(context, id, { kind: 'forget', groupId })));
      return null;
    },
  );
}
