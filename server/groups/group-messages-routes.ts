import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { throughOutages } from '../../client/outages.js';
import type { Group } from '../../core/groups/groups.js';
import { getAgents, requireAgent } from '../../schema/agents/agents.js';
import { requireGroup } from '../../schema/groups/groups.js';
import { listMessages } from '../../schema/threads/messages.js';
import { agentsThatHeard } from '../../schema/groups/talk-forgetting.js';
import { MessageNotFoundError } from '../../schema/threads/errors.js';
import { doChore } from '../threads/chores.js';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { editGroupMessage } from './group-message-edits.js';
import { messageChange } from '../threads/message-edits.js';
import { readOldestFirst } from '../threads/message-pages.js';
import { streamTalk } from './talk-stream.js';
import { sendToGroup, spokenBy, toTalkResponse } from './talks.js';
import { toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { type SendBody, sendBody } from '../threads/message-requests-wire.js';
import { wireMessage } from '../threads/message-shapes-wire.js';
import { toWireMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import { lettaResponse, type LettaResponse } from '../turns/letta-response-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { messageListQuery } from '../threads/message-lists-wire.js';
import { groupParams } from '../http/params-wire.js';

/** Messages of groups: send, stream, list, change, cancel, forget. */
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
      const group = await requireGroup(db, request.params.group_id);
      return sendAndReply(context, request, reply, { group, isStreaming: request.body.streaming === true });
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
      const group = await requireGroup(db, request.params.group_id);
      return sendAndReply(context, request, reply, { group, isStreaming: true });
    },
  );
}

/** Sends a request's messages to a group, and replies with the talk's stream or with what was said by its end. */
async function sendAndReply(
  context: RouteContext,
  request: Pick<FastifyRequest, 'headers' | 'url'> & { readonly body: SendBody },
  reply: FastifyReply,
  { group, isStreaming }: { readonly group: Group; readonly isStreaming: boolean },
): Promise<LettaResponse> {
  const { body } = request;
  const streamTokens = isStreaming && body.stream_tokens === true;
  const talk = await sendToGroup(context, request, group, { body, streamTokens });
  if (isStreaming) {
    const showsStopReason = callerOf(request).generation !== '0.1';
    return context.streams.send(reply, {
      source: (signal, onBroken) => streamTalk({ ...context, onBroken }, { talk, showsStopReason }, signal),
      ids: { talkId: talk.id },
    });
  }
  return context.streams.wait(reply, async (signal) => {
    const ended = await context.talks.result(talk.id, { signal });
    return throughOutages(() => toTalkResponse(context, ended), signal);
  });
}

function listRoute(app: App, { db, extensions }: RouteContext): void {
  app.get(
    '/v1/groups/:group_id/messages',
    {
      schema: {
        ...describeRoute('groups.messages.list', 'List the newest messages of a group, oldest first'),
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
        show: (message, siblings) => {
          const agent = agents.get(message.agentId);
          if (agent === undefined) return [];
          const shown = toWireMessages(message, toRendering(agent, query, extensions), siblings);
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
          'Change what a message of a group says, for its own agent and for those that heard it',
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
      return editGroupMessage(context, { agent, messageId, change: body });
    },
  );
  app.post(
    '/v1/groups/:group_id/messages/cancel',
    {
      schema: {
        ...describeRoute('groups.messages.cancel', 'Cancel a group’s running talks; what was said stays'),
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
