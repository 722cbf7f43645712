import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Turn } from '../../schema/turns/records.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { describeRoute } from '../http/route-documentation.js';
import { type NamedThread, requireThread } from '../threads/thread-lookup.js';
import { newestActive } from '../turns/active-turn.js';
import { toTurnStream } from '../turns/replies.js';
import { sendMessages } from '../turns/sending.js';
import { chatBody, chatId, nothingShown, toChatSend } from './chat-requests-wire.js';
import { type ChatStream, streamChat } from './chat-stream.js';

/** Chats of the AI SDK: what `useChat` and its `DefaultChatTransport` send and resume. */
export function chatRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/ui/chat',
    {
      schema: {
        ...describeRoute(
          'ui.chat.create',
          'Send a chat’s last message and stream the answer as a UI message stream of the AI SDK',
        ),
        body: chatBody,
      },
    },
    async (request, reply) => {
      const thread = await requireThread(db, request.body.id, null);
      const { body, key, continues, shown } = toChatSend(request.body);
      const { url, toolCaller } = request;
      const headers = { 'idempotency-key': key, ...request.headers };
      const mode = { streamTokens: true, background: false, threadId: thread.threadId };
      const turn = await sendMessages(context, { url, toolCaller, headers }, thread.agent, body, mode);
      return replyChat(context, reply, toChatStream(context, request, { thread, turn, continues, shown }));
    },
  );
  app.get(
    '/v1/ui/chat/:chat_id/stream',
    {
      schema: {
        ...describeRoute(
          'ui.chat.stream',
          'Stream the run that a chat waits for; 204 where it waits for none',
          { 200: 'The stream.', 204: 'The chat waits for no run.' },
        ),
        params: z.object({ chat_id: chatId }),
      },
    },
    async (request, reply) => {
      const thread = await requireThread(db, request.params.chat_id, null);
      const turn = await newestActive(db, thread.threadId);
      if (turn === undefined) return reply.code(204).send();
      return replyChat(context, reply, toChatStream(context, request, { thread, turn, shown: nothingShown }));
    },
  );
}

function toChatStream(
  context: RouteContext,
  request: Pick<FastifyRequest, 'headers'>,
  chat: Pick<ChatStream, 'shown'> & {
    readonly thread: NamedThread;
    readonly turn: Turn;
    readonly continues?: string | undefined;
  },
): ChatStream {
  const { thread, turn, continues, shown } = chat;
  const reading = { agent: thread.agent, turn, pings: false, startingAfter: 0 };
  // The same id at each reading: a page that resumes puts the message in the place of its unfinished one.
  return { stream: toTurnStream(context, request, reading), messageId: continues ?? turn.id, shown };
}

function replyChat({ db, turns, streams }: RouteContext, reply: FastifyReply, chat: ChatStream): never {
  void reply.header('x-vercel-ai-ui-message-stream', 'v1');
  return streams.send(reply, {
    source: (signal, onBroken) => streamChat({ db, turns, onBroken }, chat, signal),
    ids: { runId: chat.stream.turn.id },
  });
}
