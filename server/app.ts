import multipart from '@fastify/multipart';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { createPasswordCheck } from './http/authentication.js';
import { createBrowserCheck } from './http/browser-check.js';
import type { RouteContext } from './context.js';
import type { App, ServerDeps } from './deps.js';
import { acceptJson } from './http/json-bodies.js';
import { registerOpenApi } from './http/openapi.js';
import { findProblem } from './http/problems.js';
import { agentForkRoutes } from './past/agent-forks-routes.js';
import { contextHistoryRoutes } from './threads/context-history-routes.js';
import { agentContextRoutes } from './threads/agent-context-routes.js';
import { agentTransferRoutes } from './transfer/agent-transfer-routes.js';
import { agentSearchRoutes } from './agents/agent-search-routes.js';
import { agentRoutes } from './agents/agents-routes.js';
import { agentFileRoutes } from './files/agent-files-routes.js';
import { agentSourceRoutes } from './files/agent-sources-routes.js';
import { approvalRoutes } from './turns/approvals-routes.js';
import { archivalMemoryRoutes } from './archives/archival-memory-routes.js';
import { pinRoutes } from './archives/pins-routes.js';
import { blockEditingRoutes } from './blocks/block-operations-routes.js';
import { blockEventRoutes } from './blocks/block-events-routes.js';
import { blockHistoryRoutes } from './blocks/block-history-routes.js';
import { archiveRoutes } from './archives/archives-routes.js';
import { blockRoutes } from './blocks/blocks-routes.js';
import { agUiRoutes } from './ag-ui/ag-ui-routes.js';
import { chatRoutes } from './ai-sdk/chat-routes.js';
import { chatCompletionRoutes } from './openai/chat-completions-routes.js';
import { conversationMessageRoutes } from './threads/conversation-messages-routes.js';
import { conversationRoutes } from './threads/conversations-routes.js';
import { coreMemoryRoutes } from './blocks/core-memory-routes.js';
import { identityRoutes } from './identities/identities-routes.js';
import { groupRoutes } from './groups/groups-routes.js';
import { groupMessageRoutes } from './groups/group-messages-routes.js';
import { customToolRoutes } from './tools/custom-tools-routes.js';
import { healthRoutes } from './http/health-routes.js';
import { jobRoutes } from './turns/jobs-routes.js';
import { mcpServerRoutes } from './tools/mcp-servers-routes.js';
import { mcpRoutes } from './mcp/mcp-routes.js';
import { messageSearchRoutes } from './threads/message-search-routes.js';
import { messageRoutes } from './threads/messages-routes.js';
import { modelRoutes } from './models/models-routes.js';
import { olderMcpServerRoutes } from './tools/older-mcp-servers-routes.js';
import { openAiResponseRoutes } from './openai/responses-routes.js';
import { passageSearchRoutes } from './archives/passage-search-routes.js';
import { providerRoutes } from './models/providers-routes.js';
import { runRoutes } from './turns/runs-routes.js';
import { refinementScheduleRoutes } from './schedules/refinement-schedules-routes.js';
import { scheduleRoutes } from './schedules/schedules-routes.js';
import { refinementRoutes } from './refinement/refinements-routes.js';
import { sourceRoutes } from './files/sources-routes.js';
import { stepRoutes } from './turns/steps-routes.js';
import { studioRoutes } from './studio/studio-routes.js';
import { tagRoutes } from './agents/tags-routes.js';
import { threadChoreRoutes } from './threads/thread-chores-routes.js';
import { toolRunRoutes } from './tools/tool-runs-routes.js';
import { toolSearchRoutes } from './tools/tool-search-routes.js';
import { toolRoutes } from './tools/tools-routes.js';
import { recogniseToolCallers } from './tools/tool-callers.js';
import { limitToolWrites } from './tools/tool-write-limits.js';
import { checkToolPermissions } from './tools/tool-permissions.js';
import { createOpenStreams } from './streams/open-streams.js';
import { registerUnserved, routeKey } from './http/unserved.js';

const defaultBodyLimit = 16 * 1024 * 1024;
const defaultKeepAliveMs = 20_000;
/** How long requests under way may take once the server is told to close, in ms. */
const closeGraceMs = 1_000;

const routes = [
  healthRoutes,
  agentRoutes,
  agentSearchRoutes,
  agentForkRoutes,
  agentTransferRoutes,
  agentContextRoutes,
  contextHistoryRoutes,
  coreMemoryRoutes,
  blockRoutes,
  groupRoutes,
  identityRoutes,
  groupMessageRoutes,
  refinementRoutes,
  refinementScheduleRoutes,
  scheduleRoutes,
  blockEditingRoutes,
  blockHistoryRoutes,
  blockEventRoutes,
  archivalMemoryRoutes,
  pinRoutes,
  archiveRoutes,
  passageSearchRoutes,
  toolRoutes,
  toolSearchRoutes,
  mcpServerRoutes,
  olderMcpServerRoutes,
  customToolRoutes,
  toolRunRoutes,
  mcpRoutes,
  messageRoutes,
  messageSearchRoutes,
  chatCompletionRoutes,
  openAiResponseRoutes,
  chatRoutes,
  agUiRoutes,
  approvalRoutes,
  threadChoreRoutes,
  conversationRoutes,
  conversationMessageRoutes,
  runRoutes,
  stepRoutes,
  modelRoutes,
  providerRoutes,
  tagRoutes,
  sourceRoutes,
  agentSourceRoutes,
  agentFileRoutes,
  jobRoutes,
];

/**
 * The REST API over these dependencies, not yet listening. Closing it ends open streams and requests that wait for a
 * turn at once; the turns themselves go on.
 */
export function createApp(deps: ServerDeps): App {
  const { settings } = deps;
  const app: App = fastify({
    bodyLimit: settings.bodyLimit ?? defaultBodyLimit,
    routerOptions: { ignoreTrailingSlash: true },
    // As in bodies (see `json-bodies.ts`): Postgres stores no NUL.
    rewriteUrl: ({ url = '/' }) => url.replaceAll('%00', '%EF%BF%BD'),
    frameworkErrors: replyProblem,
    logger: settings.logLevel === undefined ? false : { level: settings.logLevel, stream: process.stdout },
    logController: new LogController({
      disableRequestLogging: settings.logLevel !== 'debug' && settings.logLevel !== 'trace',
    }),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  // The compiler has checked what routes answer; checking every reply again would cost time.
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJson(app);
  void app.register(multipart);
  app.setErrorHandler(replyProblem);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  // First of all hooks: nothing of a request from another site's page is read.
  if (settings.password === undefined) {
    app.addHook('onRequest', createBrowserCheck(settings.allowedHosts ?? []));
  }
  recogniseToolCallers(app, deps.db);
  limitToolWrites(app, deps.db);
  checkToolPermissions(app, deps.db);
  if (settings.password !== undefined) app.addHook('onRequest', createPasswordCheck(settings.password));
  const streams = createOpenStreams(settings.keepAliveMs ?? defaultKeepAliveMs);
  app.addHook('preClose', () => {
    streams.endAll();
    // A connection without a request yet counts neither as idle nor as done in Node, and would hold up the close.
    setTimeout(() => {
      app.server.closeAllConnections();
    }, closeGraceMs).unref();
    return Promise.resolve();
  });
  const context: RouteContext = { ...deps, streams };
  registerOpenApi(app);
  // In a plugin, because OpenAPI only sees routes that are registered after its own plugin has loaded.
  void app.register((scope, _options, done) => {
    const typed = scope.withTypeProvider<ZodTypeProvider>();
    const served = new Set<string>();
    scope.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) served.add(routeKey(one, url));
    });
    for (const register of routes) register(typed, context);
    studioRoutes(typed);
    registerUnserved(typed, served);
    done();
  });
  return app;
}

function replyProblem(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = findProblem(error);
  if (problem === undefined) {
    request.log.error({ err: error }, 'a request failed');
    const detail = `Something went wrong on the server's side. Its log says what, under request ${request.id}.`;
    void reply.code(500).send({ detail });
    return;
  }
  // Letta's clients would repeat the request after these statuses and get the same answer.
  if ([409, 501, 502, 507].includes(problem.status)) void reply.header('x-should-retry', 'false');
  if (problem.retryAfterSeconds !== undefined) {
    // After 429 a client with a wrong password would send it again by itself.
    const isWorthIt = String(problem.status !== 429);
    void reply.headers({ 'x-should-retry': isWorthIt, 'retry-after': String(problem.retryAfterSeconds) });
  }
  // The body is read to its end: a client whose connection closes while it still sends never reads the answer.
  if (problem.status === 413) {
    void reply.removeHeader('connection');
    request.raw.resume();
  }
  void reply.code(problem.status).send({ detail: problem.detail, ...problem.more });
}
