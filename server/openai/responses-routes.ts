import type { FastifyReply, FastifyRequest } from 'fastify';
import { getTurn } from '../../schema/turns/turns.js';
import type { Db } from '../../schema/db/database.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import type { Turn } from '../../schema/turns/records.js';
import { askAgent } from './answering.js';
import { findModelThread } from './model-threads.js';
import { replyOpenAiError } from './error-replies.js';
import { RequestRefusedError } from '../http/problems.js';
import { streamResponse } from './response-stream.js';
import type { NamedThread } from '../threads/thread-lookup.js';
import { fromLettaResponse, openAiResponse, type OpenAiResponse } from './responses-wire.js';
import { responseBody, type ResponseBody, toResponseSend } from './response-requests-wire.js';
import { describeRoute } from '../http/route-documentation.js';

/** OpenAI's responses, with an agent as the model. */
export function openAiResponseRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/responses',
    {
      schema: {
        ...describeRoute('responses.create', 'Talk to an agent with OpenAI’s responses'),
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
  const { model } = body;
  const previousRunId = body.previous_response_id ?? null;
  const format = body.text?.format ?? undefined;
  const headOf = ({ id, createdAt }: Turn) => ({ runId: id, model, at: createdAt, format, previousRunId });
  return askAgent<OpenAiResponse>(context, request, reply, {
    thread: await followed(context.db, await findModelThread(context.db, model), previousRunId),
    format: { field: 'text.format', format },
    unheard: { field: 'input', body: toResponseSend(body) },
    isStreaming: body.stream === true,
    toAnswer: (turn, response) => fromLettaResponse(headOf(turn), response),
    toEvents: (deps, stream, signal) => streamResponse(deps, { stream, head: headOf(stream.turn) }, signal),
  });
}

/** The thread that a request continues. Throws RequestRefusedError where the agent gave no such answer. */
async function followed(db: Db, named: NamedThread, runId: string | null): Promise<NamedThread> {
  if (runId === null) return named;
  const turn = await getTurn(db, runId);
  const isOther = named.threadId !== named.agent.id && named.threadId !== turn?.threadId;
  if (turn?.agentId !== named.agent.id || isOther) {
    throw new RequestRefusedError(
      404,
      `body.previous_response_id: this agent has no response ${runId}. Leave the field out; the agent remembers the conversation.`,
    );
  }
  return { agent: named.agent, threadId: turn.threadId };
}
