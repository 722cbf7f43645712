import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { findProblem } from '../http/problems.js';
import { openAiErrorType, toOpenAiError } from './errors-wire.js';

/** The error handler of routes of OpenAI's API. */
export function replyOpenAiError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
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
