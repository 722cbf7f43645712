import multipart from '@fastify/multipart';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { createPasswordCheck } from './authentication.js';
import { createBrowserCheck } from './browsers.js';
import type { RouteContext } from './context.js';
import type { App, ServerDeps } from './deps.js';
import { acceptJson } from './json-bodies.js';
import { registerOpenApi } from './openapi.js';
import { findProblem } from './problems.js';
import { agentForkRoutes } from './routes/agent-forks.js';
import { agentContextRoutes } from './routes/agent-context.js';
import { agentTransferRoutes } from './routes/agent-transfer.js';
import { agentSearchRoutes } from './routes/agent-search.js';
import { agentRoutes } from './routes/agents.js';
import { agentFileRoutes } from './routes/agent-files.js';
import { agentSourceRoutes } from './routes/agent-sources.js';
import { approvalRoutes } from './routes/approvals.js';
import { archivalMemoryRoutes } from './routes/archival-memory.js';
import { pinRoutes } from './routes/pins.js';
import { blockEditingRoutes } from './routes/block-editing.js';
import { blockEventRoutes } from './routes/block-events.js';
import { blockHistoryRoutes } from './routes/block-history.js';
import { archiveRoutes } from './routes/archives.js';
import { blockRoutes } from './routes/blocks.js';
import { chatCompletionRoutes } from './routes/chat-completions.js';
import { conversationMessageRoutes } from './routes/conversation-messages.js';
import { conversationRoutes } from './routes/conversations.js';
import { coreMemoryRoutes } from './routes/core-memory.js';
import { identityRoutes } from './routes/identities.js';
import { groupRoutes } from './routes/groups.js';
import { groupMessageRoutes } from './routes/group-messages.js';
import { customToolRoutes } from './routes/custom-tools.js';
import { healthRoutes } from './routes/health.js';
import { jobRoutes } from './routes/jobs.js';
import { mcpServerRoutes } from './routes/mcp-servers.js';
import { messageSearchRoutes } from './routes/message-search.js';
import { messageRoutes } from './routes/messages.js';
import { modelRoutes } from './routes/models.js';
import { olderMcpServerRoutes } from './routes/older-mcp-servers.js';
import { passageSearchRoutes } from './routes/passage-search.js';
import { providerRoutes } from './routes/providers.js';
import { runRoutes } from './routes/runs.js';
import { refinementScheduleRoutes } from './routes/refinement-schedules.js';
import { scheduleRoutes } from './routes/schedules.js';
import { sleepTimeRoutes } from './routes/sleep-time.js';
import { sourceRoutes } from './routes/sources.js';
import { stepRoutes } from './routes/steps.js';
import { tagRoutes } from './routes/tags.js';
import { threadChoreRoutes } from './routes/thread-chores.js';
import { toolRunRoutes } from './routes/tool-runs.js';
import { toolSearchRoutes } from './routes/tool-search.js';
import { toolRoutes } from './routes/tools.js';
import { recogniseTools } from './tool-callers.js';
import { keepToolsInScope } from './tool-scope.js';
import { createOpenStreams } from './streams/open-streams.js';
import { registerUnserved, routeKey } from './unserved.js';

const defaultBodyLimit = 16 * 1024 * 1024;
const defaultKeepAliveMs = 20_000;
/** What requests under way have to end in, once the server is told to close. */
const closeGraceMs = 1_000;

const routes = [
  healthRoutes,
  agentRoutes,
  agentSearchRoutes,
  agentForkRoutes,
  agentTransferRoutes,
  agentContextRoutes,
  coreMemoryRoutes,
  blockRoutes,
  groupRoutes,
  identityRoutes,
  groupMessageRoutes,
  sleepTimeRoutes,
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
  messageRoutes,
  messageSearchRoutes,
  chatCompletionRoutes,
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
 * The REST API over these dependencies, not yet listening. Closing it ends open streams at once, and what waits for a
 * turn; the turns go on.
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
  // What routes answer is checked when they are compiled; checking it again for every reply costs time on the way.
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJson(app);
  void app.register(multipart);
  app.setErrorHandler(replyProblem);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  // First of all: what a page of another site asks is not looked at.
  if (settings.password === undefined) {
    app.addHook('onRequest', createBrowserCheck(settings.allowedHosts ?? []));
  }
  recogniseTools(app, deps.db);
  keepToolsInScope(app, deps.db);
  if (settings.password !== undefined) app.addHook('onRequest', createPasswordCheck(settings.password));
  const streams = createOpenStreams(settings.keepAliveMs ?? defaultKeepAliveMs);
  app.addHook('preClose', () => {
    streams.endAll();
    // A client may hold a connection on which it has asked nothing yet: Node counts it neither as idle nor as done.
    setTimeout(() => {
      app.server.closeAllConnections();
    }, closeGraceMs).unref();
    return Promise.resolve();
  });
  const context: RouteContext = { ...deps, streams };
  registerOpenApi(app);
  // As a plugin, because OpenAPI only sees routes that are registered after its own plugin has loaded.
  void app.register((scope, _options, done) => {
    const typed = scope.withTypeProvider<ZodTypeProvider>();
    const served = new Set<string>();
    scope.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) served.add(routeKey(one, url));
    });
    for (const register of routes) register(typed, context);
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
  // Letta's clients post again after these, and would be told the same.
  if ([409, 501, 502, 507].includes(problem.status)) void reply.header('x-should-retry', 'false');
  if (problem.retryAfterSeconds !== undefined) {
    void reply.headers({ 'x-should-retry': 'true', 'retry-after': String(problem.retryAfterSeconds) });
  }
  // Read to its end: a client whose connection closes while it still sends never reads the answer.
  if (problem.status === 413) {
    void reply.removeHeader('connection');
    request.raw.resume();
  }
  void reply.code(problem.status).send({ detail: problem.detail, ...problem.more });
}
