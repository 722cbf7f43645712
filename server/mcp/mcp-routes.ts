import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { freeObject } from '../http/fields-wire.js';
import { RequestRefusedError } from '../http/problems.js';
import { describeRoute } from '../http/route-documentation.js';
import { packageVersion } from '../http/version.js';
import { addAgentTools } from './agent-tools.js';
import { addMemoryTools } from './memory-tools.js';
import { addSearchTools } from './search-tools.js';

/** An MCP server over streamable HTTP: agents and their memory as tools. Each request stands for itself, so any server may answer it. */
export function mcpRoutes(app: App, context: RouteContext): void {
  app.post(
    '/mcp',
    {
      schema: {
        ...describeRoute(
          'mcp.call',
          'Speak MCP (streamable HTTP): talk to agents, read and edit their memory, search',
          { 200: 'The answers.', 202: 'There were notifications alone, which have no answer.' },
        ),
        body: z.union([freeObject, z.array(freeObject)]),
      },
    },
    (request, reply) => answer(context, request, reply),
  );
  for (const method of ['GET', 'DELETE'] as const) {
    app.route({
      ...{ method, url: '/mcp', schema: { hide: true } },
      handler: (_request, reply) => {
        void reply.header('allow', 'POST');
        throw new RequestRefusedError(405, 'This MCP server keeps no sessions. Send each message with POST.');
      },
    });
  }
}

async function answer(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const server = openServer(context, request.log);
  // The reply's stream keeps the connection alive itself.
  const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: 0 });
  await server.connect(transport);
  const answered = await transport.handleRequest(toWebRequest(request), { parsedBody: request.body });
  const { body, status, headers } = answered;
  const type = headers.get('content-type') ?? 'application/json';
  if (body === null || !type.startsWith('text/event-stream')) {
    const text = await answered.text();
    await server.close();
    return reply.code(status).header('content-type', type).send(text);
  }
  return context.streams.send(reply, { source: (signal) => passOn(body, server, signal) });
}

function openServer(context: RouteContext, log: FastifyBaseLogger): McpServer {
  const server = new McpServer(
    { name: 'perdure', version: packageVersion },
    {
      instructions:
        'Agents that remember. list_agents gives their ids; talk_to_agent talks to one; the other tools read and change what it knows.',
    },
  );
  addAgentTools(server, context, log);
  addMemoryTools(server, context, log);
  addSearchTools(server, context, log);
  return server;
}

/** The headers of the transport's own; what guards the server has looked at the request itself. */
function toWebRequest({ headers }: FastifyRequest): Request {
  const names = ['accept', 'content-type', 'mcp-protocol-version'];
  const own = names.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request('http://localhost/mcp', { method: 'POST', headers: own });
}

/** The answer's events. A client that leaves ends what its calls wait for. */
async function* passOn(
  body: ReadableStream<Uint8Array>,
  server: McpServer,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const close = (): void => void server.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    yield* body.pipeThrough(new TextDecoderStream());
  } finally {
    signal.removeEventListener('abort', close);
    await server.close();
  }
}
