import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import type { Turn } from '../../schema/turns/records.js';
import { askAgent } from './answering.js';
import { findModelThread } from './model-threads.js';
import { replyOpenAiError } from './error-replies.js';
import { streamCompletion } from './completion-stream.js';
import {
  type Completion,
  completion,
  completionBody,
  type CompletionBody,
  toCompletion,
  toSendBody,
} from './chat-completions-wire.js';
import { describeRoute } from '../http/route-documentation.js';

/** OpenAI's chat completions, with an agent as the model. */
export function chatCompletionRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/chat/completions',
    {
      schema: {
        ...describeRoute('chat.completions.create', 'Talk to an agent with OpenAI’s chat completions'),
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
  const format = body.response_format ?? undefined;
  const headOf = ({ id, createdAt }: Turn) => ({ runId: id, model: body.model, at: createdAt, format });
  const includesUsage = body.stream_options?.include_usage === true;
  return askAgent<Completion>(context, request, reply, {
    thread: await findModelThread(context.db, body.model),
    format: { field: 'response_format', format },
    unheard: { field: 'messages', body: toSendBody(body) },
    isStreaming: body.stream === true,
    toAnswer: (turn, response) => toCompletion(headOf(turn), response),
    toEvents: (deps, stream, signal) =>
      streamCompletion(deps, { stream, head: headOf(stream.turn), includesUsage }, signal),
  });
}
