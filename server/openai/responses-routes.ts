import type { FastifyReply, FastifyRequest } from 'fastify';
import { getTurn } from '../../schema/turns/turns.js';
import type { Db } from '../../schema/db/database.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { checkFormat, findModelThread, refuseFailure, replyOpenAiError } from './agents.js';
import { RequestRefusedError } from '../http/problems.js';
import { sendMessages, toRunStream } from '../turns/sends.js';
import { streamResponse } from '../streams/response-stream.js';
import { sseComment } from '../streams/sse.js';
import type { NamedThread } from '../threads/threads.js';
import { fromLettaResponse, openAiResponse, type OpenAiResponse } from './responses-wire.js';
import { responseBody, type ResponseBody, toResponseSend } from './response-requests-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { waitAndReply } from '../threads/messages-routes.js';

/** OpenAI's responses, with an agent as the model. */
export function openAiResponseRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/responses',
    {
      schema: {
        ...describeRoute('responses.create', 'Talk to an agent as OpenAI’s newer clients talk to a model'),
        body: responseBody,
        response: { 200: openAiResponse },
      },
      errorHandler: replyOpenAiError,
    },
    (request, reply) => answer(context, request, reply),
  );
}

async function answer(
  context: RouteContext,
  request: FastifyRequest & { readonly body: ResponseBody },
  reply: FastifyReply,
): Promise<OpenAiResponse> {
  const { body } = request;
  const previousRunId = body.previous_response_id ?? null;
  const thread = await followed(context.db, await findModelThread(context.db, body.model), previousRunId);
  const { agent, threadId } = thread;
  const format = body.text?.format ?? undefined;
  await checkFormat(context.db, thread, { field: 'text.format', format });
  const heard = toResponseSend(body);
  if (heard === undefined) {
    throw new RequestRefusedError(
      422,
      'body.input: the last message must be the user’s. The agent remembers what came before.',
    );
  }
  const isStreaming = body.stream === true;
  const form = format === undefined ? {} : { responseFormat: format };
  const mode = { streamTokens: isStreaming, background: false, threadId, ...form };
  const turn = await sendMessages(context, request, agent, heard, mode);
  const head = { runId: turn.id, model: body.model, at: turn.createdAt, format, previousRunId };
  if (!isStreaming) {
    const response = await waitAndReply(context, reply, agent, turn);
    // The client is gone, and nothing can be answered.
    if (reply.sent) return reply as never;
    return fromLettaResponse(head, refuseFailure(response));
  }
  const stream = toRunStream(context, request, { agent, turn, pings: false, startingAfter: 0 });
  const onBroken = (error: unknown): void => {
    reply.log.error({ err: error, runId: turn.id }, 'a stream broke off');
  };
  const sent = context.streams.send(reply, {
    source: (signal) => streamResponse({ ...context, onBroken }, { stream, head }, signal),
    keepAlive: () => sseComment,
  });
  // Typed by what it answers in JSON; a stream is sent already, and Fastify takes the reply itself for that.
  return sent as never;
}

/** The thread of the answer that is followed. Throws RequestRefusedError where the agent gave no such answer. */
async function followed(db: Db, named: NamedThread, runId: string | null): Promise<NamedThread> {
  if (runId === null) return named;
  const turn = await getTurn(db, runId);
  const isOther = named.threadId !== named.agent.id && named.threadId !== turn?.threadId;
  if (turn?.agentId !== named.agent.id || isOther) {
    throw new RequestRefusedError(
      404,
      `body.previous_response_id: the agent gave no response ${runId} here. Leave it out: the agent remembers.`,
    );
  }
  return { agent: named.agent, threadId: turn.threadId };
}
