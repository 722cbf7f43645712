import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { finalState } from '../../core/turns/stop-reasons.js';
import { listAgents } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { findProblem, RequestRefusedError } from '../http/problems.js';
import { sendMessages, toRunStream } from '../turns/sends.js';
import { streamCompletion } from '../streams/completion-stream.js';
import { sseComment } from '../streams/sse.js';
import { type NamedThread, requireThread } from '../threads/threads.js';
import {
  type Completion,
  completion,
  completionBody,
  type CompletionBody,
  toCompletion,
  toSendBody,
} from './chat-completions-wire.js';
import { openAiErrorType, toOpenAiError } from './errors-wire.js';
import type { LettaResponse } from '../http/responses-wire.js';
import { describeRoute } from '../http/documentation-routes.js';
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
  const { agent, threadId } = await findThread(context.db, body.model);
  const heard = toSendBody(body);
  if (heard === undefined) {
    throw new RequestRefusedError(
      422,
      'body.messages: the last message must be the user’s. The agent remembers what came before.',
    );
  }
  const isStreaming = body.stream === true;
  const mode = { streamTokens: isStreaming, background: false, threadId };
  const turn = await sendMessages(context, request, agent, heard, mode);
  const head = { runId: turn.id, model: body.model, at: turn.createdAt };
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

/** The thread that `model` names. Throws RequestRefusedError, AgentNotFoundError, ConversationNotFoundError. */
async function findThread(db: Db, model: string): Promise<NamedThread> {
  if (/^(agent|conv)-[0-9a-f-]{36}$/i.test(model)) return requireThread(db, model, null);
  const [agent, other] = await listAgents(db, { name: model }, { limit: 2 });
  if (agent === undefined) {
    throw new RequestRefusedError(
      404,
      `No agent is called '${model}'. Give an agent’s id or name as \`model\`; GET /v1/agents lists them.`,
    );
  }
  if (other !== undefined) {
    throw new RequestRefusedError(
      400,
      `Several agents are called '${model}'. Give the id of the one that you mean as \`model\`.`,
    );
  }
  return { agent, threadId: agent.id };
}

/** A turn that failed before the agent said anything is an error for OpenAI's clients, and not one to repeat. */
function refuseFailure(response: LettaResponse): LettaResponse {
  const { stop_reason: stop } = response.stop_reason;
  if (response.messages.length > 0 || finalState(stop) === 'completed') return response;
  throw new RequestRefusedError(400, response.error?.message ?? `The agent’s turn ended with ${stop}.`);
}

function replyOpenAiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = findProblem(error);
  if (problem === undefined) request.log.error({ err: error }, 'a request failed');
  const status = problem?.status ?? 500;
  const message = problem?.detail ?? `Something went wrong on the server's side, in request ${request.id}.`;
  if (status === 409) void reply.header('x-should-retry', 'false');
  if (problem?.retryAfterSeconds !== undefined) {
    void reply.headers({ 'x-should-retry': 'true', 'retry-after': String(problem.retryAfterSeconds) });
  }
  void reply.code(status).send(toOpenAiError({ message, type: openAiErrorType(status), code: null }));
}
