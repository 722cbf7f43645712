import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { finalState } from '../../core/turns/stop-reasons.js';
import { saysItsText } from '../../core/tools/tools.js';
import { listAgentTools } from '../../schema/tools/agent-tools.js';
import { listAgents } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import { findProblem, RequestRefusedError } from '../http/problems.js';
import { type NamedThread, requireThread } from '../threads/threads.js';
import { openAiErrorType, toOpenAiError } from './errors-wire.js';
import type { ResponseFormat } from './requests-wire.js';
import type { LettaResponse } from '../http/responses-wire.js';

/**
 * The thread that a request of OpenAI's API names as its `model`. Throws RequestRefusedError, AgentNotFoundError and
 * ConversationNotFoundError.
 */
export async function findModelThread(db: Db, model: string): Promise<NamedThread> {
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

/**
 * Refuses a form of answers that the agent can't keep to: a provider binds what a model writes as text, not what it says
 * by calling a tool. Throws RequestRefusedError.
 */
export async function checkFormat(
  db: Db,
  { agent }: NamedThread,
  { field, format }: { readonly field: string; readonly format: ResponseFormat | undefined },
): Promise<void> {
  if (format === undefined || format.type === 'text') return;
  const tools = await listAgentTools(db, agent.id);
  const speaking = tools.map(({ name, extras }) => ({ name, messaging: messagingOf(extras) }));
  if (saysItsText({ ...agent, tools: speaking })) return;
  throw new RequestRefusedError(
    422,
    `body.${field}: the agent ${agent.id} speaks by calling a tool, which no ${format.type} binds. Ask an agent of type letta_v1_agent.`,
  );
}

function messagingOf({ messaging }: Readonly<Record<string, unknown>>): string | null {
  return typeof messaging === 'string' ? messaging : null;
}

/** A turn that failed before the agent said anything is an error for OpenAI's clients, and not one to repeat. */
export function refuseFailure(response: LettaResponse): LettaResponse {
  const { stop_reason: stop } = response.stop_reason;
  if (response.messages.length > 0 || finalState(stop) === 'completed') return response;
  throw new RequestRefusedError(400, response.error?.message ?? `The agent’s turn ended with ${stop}.`);
}

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
