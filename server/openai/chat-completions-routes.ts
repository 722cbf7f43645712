import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { checkFormat, findModelThread, refuseFailure, replyOpenAiError } from './agents.js';
import { RequestRefusedError } from '../http/problems.js';
import { sendMessages, toRunStream } from '../turns/sends.js';
import { streamCompletion } from '../streams/completion-stream.js';
import { sseComment } from '../streams/sse.js';
import {
  type Completion,
  completion,
  completionBody,
  type CompletionBody,
  toCompletion,
  toSendBody,
} from './chat-completions-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { waitAndReply } from '../threads/messages-routes.js';

/** OpenAI's chat completions, with an agent as the model: any client of OpenAI's API talks to it. */
export function chatCompletionRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/chat/completions',
    {
      schema: {
        ...describeRoute('chat.completions.create', 'Talk to an agent as OpenAI’s clients talk to a model'),
        body: completionBody,
        response: { 200: completion },
      },
      errorHandler: replyOpenAiError,
    },
    (request, reply) => answer(context, request, reply),
  );
}

async function answer(
  context: RouteContext,
  request: FastifyRequest & { readonly body: CompletionBody },
  reply: FastifyReply,
): Promise<Completion> {
  const { body } = request;
  const thread = await findModelThread(context.db, body.model);
  const { agent, threadId } = thread;
  const format = body.response_format ?? undefined;
  await checkFormat(context.db, thread, { field: 'response_format', format });
  const heard = toSendBody(body);
  if (heard === undefined) {
    throw new RequestRefusedError(
      422,
      'body.messages: the last message must be the user’s. The agent remembers what came before.',
    );
  }
  const isStreaming = body.stream === true;
  const form = format === undefined ? {} : { responseFormat: format };
  const mode = { streamTokens: isStreaming, background: false, threadId, ...form };
  const turn = await sendMessages(context, request, agent, heard, mode);
  const head = { runId: turn.id, model: body.model, at: turn.createdAt, format };
  if (!isStreaming) {
    const response = await waitAndReply(context, reply, agent, turn);
    // The client is gone, and nothing can be answered.
    if (reply.sent) return reply as never;
    return toCompletion(head, refuseFailure(response));
  }
  const stream = toRunStream(context, request, { agent, turn, pings: false, startingAfter: 0 });
  const includesUsage = body.stream_options?.include_usage === true;
  const onBroken = (error: unknown): void => {
    reply.log.error({ err: error, runId: turn.id }, 'a stream broke off');
  };
  const sent = context.streams.send(reply, {
    source: (signal) => streamCompletion({ ...context, onBroken }, { stream, head, includesUsage }, signal),
    keepAlive: () => sseComment,
  });
  // Typed by what it answers in JSON; a stream is sent already, and Fastify takes the reply itself for that.
  return sent as never;
}
