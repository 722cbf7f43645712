import { z } from 'zod';
import type { Db } from '../../schema/db/database.js';
import type { Turn } from '../../schema/turns/records.js';
import { findTurnByOtid, getTurn } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import { readOldestFirst, readShown } from './message-pages.js';
import { checkResumable } from '../streams/turn-stream.js';
import { requireThread } from './thread-lookup.js';
import { threadParams } from './conversations-wire.js';
import { int32 } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { sendBody } from './message-requests-wire.js';
import { wireMessage } from './message-shapes-wire.js';
import { lettaResponse } from '../turns/letta-response-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { listThread } from './thread-lists.js';
import { threadListQuery } from './message-lists-wire.js';
import { newestActive } from '../turns/active-turn.js';
import { replyStream, sendAndReply, toTurnStream } from '../turns/replies.js';

const agentId = idOf('agent').nullish();

const resumeBody = z
  .object({
    agent_id: agentId,
    run_id: idOf('run').nullish(),
    otid: z.string().nullish(),
    starting_after: int32.min(0).nullish(),
    include_pings: z.boolean().nullish(),
  })
  .nullish();

/** Messages of a conversation: send, list, resume a stream. */
export function conversationMessageRoutes(app: App, context: RouteContext): void {
  sendRoute(app, context);
  listRoute(app, context);
  resumeRoute(app, context);
}

function sendRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/conversations/:conversation_id/messages',
    {
      schema: {
        ...describeRoute(
          'conversations.messages.create',
          'Send messages in a conversation and stream the answer, or wait for it with `streaming` false',
        ),
        params: threadParams,
        body: sendBody.safeExtend({ agent_id: agentId }),
        response: { 200: lettaResponse },
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      const thread = await requireThread(context.db, params.conversation_id, body.agent_id);
      return sendAndReply(context, request, reply, { ...thread, isStreaming: body.streaming !== false });
    },
  );
}

function listRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/conversations/:conversation_id/messages',
    {
      schema: {
        ...describeRoute('conversations.messages.list', 'List a conversation’s messages, newest first'),
        params: threadParams,
        querystring: threadListQuery.extend({ agent_id: idOf('agent').optional() }),
        response: { 200: z.array(wireMessage) },
      },
    },
    async (request) => {
      const { params, query } = request;
      const thread = await requireThread(context.db, params.conversation_id, query.agent_id);
      // As in Letta: a conversation's list is newest first; that of an agent's default thread is like the agent's.
      const isOwn = thread.threadId === thread.agent.id;
      return listThread(context, thread, query, isOwn ? readOldestFirst : readShown);
    },
  );
}

function resumeRoute(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/conversations/:conversation_id/stream',
    {
      schema: {
        ...describeRoute(
          'conversations.messages.stream',
          'Stream a conversation’s newest active run, or the one named by `run_id` or `otid`',
        ),
        params: threadParams,
        body: resumeBody,
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      const { agent, threadId } = await requireThread(db, params.conversation_id, body?.agent_id);
      const turn = await findRun(db, threadId, body ?? {});
      const wish = { pings: body?.include_pings, startingAfter: body?.starting_after ?? 0 };
      const stream = toTurnStream(context, request, { agent, turn, ...wish });
      await checkResumable(db, stream);
      return replyStream(context, reply, stream);
    },
  );
}

/** The run whose stream a client wants to resume. Throws RequestRefusedError. */
async function findRun(
  db: Db,
  threadId: string,
  named: { readonly run_id?: string | null | undefined; readonly otid?: string | null | undefined },
): Promise<Turn> {
  const found = await (named.run_id != null
    ? getTurn(db, named.run_id)
    : named.otid != null
      ? findTurnByOtid(db, threadId, named.otid)
      : newestActive(db, threadId));
  if (found?.threadId === threadId) return found;
  if (named.run_id != null) {
    throw new RequestRefusedError(404, `Run with ID ${named.run_id} not found in ${threadId}.`);
  }
  throw new RequestRefusedError(
    400,
    `No active runs found for ${threadId}. List its messages to see what was said, or send one.`,
  );
}
