import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { countMemory } from '../../schema/threads/epochs.js';
import { countMessages } from '../../schema/threads/messages.js';
import { endEpoch } from '../../schema/threads/recompiling.js';
import { compilePrompt, PromptUnknownError, readContext } from './context-overview.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { previewRequest } from './request-preview.js';
import { requireThread } from './thread-lookup.js';
import { toWireContextOverview, wireContextOverview } from './context-overview-wire.js';
import { threadParams } from './conversations-wire.js';
import { freeObject, queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { fromSendBody, sendBody } from './message-requests-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const recompileQuery = z.object({
  dry_run: queryBoolean.default(false),
  /** Ignored: every compiled prompt has the current time. */
  update_timestamp: queryBoolean.optional(),
});

const recompileBody = z
  .object({ agent_id: idOf('agent').nullish(), compaction_settings: freeObject.nullish() })
  .nullish();

/** An agent's context: show it, preview a request, recompile the prompt. */
export function agentContextRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/agents/:agent_id/context',
    {
      schema: {
        ...describeRoute(
          'agents.context.retrieve',
          'Show the contents of an agent’s context, with its tokens',
        ),
        params: agentParams,
        response: { 200: wireContextOverview },
      },
    },
    async ({ params }) => {
      const { id: agentId } = await requireAgent(db, params.agent_id);
      const found = await readContext(context, { agentId, threadId: agentId });
      const [{ archivalPassages: passages }, messages] = await Promise.all([
        countMemory(db, found.thread),
        countMessages(db, { threadId: agentId }),
      ]);
      return toWireContextOverview({ ...found, instructions: found.agent.system, passages, messages });
    },
  );
  previewRoute(app, context);
  recompileRoutes(app, context);
}

function previewRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/agents/:agent_id/messages/preview-raw-payload',
    {
      schema: {
        ...describeRoute(
          'agents.messages.preview_raw_payload',
          'Show the request that the agent’s model would get for these messages, without sending them',
        ),
        params: agentParams,
        body: sendBody,
        response: { 200: freeObject },
      },
    },
    async ({ params, body }) => {
      const agent = await requireAgent(context.db, params.agent_id);
      return previewRequest(context, agent, fromSendBody(body));
    },
  );
}

function recompileRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/agents/:agent_id/recompile',
    {
      schema: {
        ...describeRoute('agents.recompile', 'Recompile an agent’s prompt at its next step'),
        params: agentParams,
        querystring: recompileQuery,
        body: recompileBody,
        response: { 200: z.string() },
      },
    },
    async ({ params, query }, reply) => {
      const { id: agentId } = await requireAgent(db, params.agent_id);
      const prompt = await recompile(context, { agentId, threadId: agentId }, query.dry_run);
      return sendJson(reply, prompt);
    },
  );
  app.post(
    '/v1/conversations/:conversation_id/recompile',
    {
      schema: {
        ...describeRoute('conversations.recompile', 'Recompile a conversation’s prompt at its next step'),
        params: threadParams,
        querystring: recompileQuery,
        body: recompileBody,
        response: { 200: z.string() },
      },
    },
    async ({ params, query, body }, reply) => {
      const { agent, threadId } = await requireThread(db, params.conversation_id, body?.agent_id);
      const prompt = await recompile(context, { agentId: agent.id, threadId }, query.dry_run);
      return sendJson(reply, prompt);
    },
  );
}

/** Sends a text as a JSON string; Fastify would send it bare. */
function sendJson(reply: FastifyReply, text: string): never {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(text)) as never;
}

async function recompile(
  context: RouteContext,
  thread: { readonly agentId: string; readonly threadId: string },
  isDryRun: boolean,
): Promise<string> {
  const prompt = await compilePrompt(context, thread).catch((error: unknown) => {
    // The next step compiles the prompt even where this server can't show it.
    if (isDryRun || !(error instanceof PromptUnknownError)) throw error;
    return error.message;
  });
  if (!isDryRun) await endEpoch(context.db, thread.threadId);
  return prompt;
}
