import { z } from 'zod';
import { openMcpConfig } from '../../schema/tools/mcp-secrets.js';
import { deleteMcpServer, listMcpServers, requireMcpServer } from '../../schema/tools/mcp-servers.js';
import { requireMcpTool, serverNameOf } from '../../schema/tools/mcp-tools.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { changeMcpServer, knownMcpTools, refreshMcpServer, registerMcpServer } from './mcp-registration.js';
import { idOf } from '../http/ids-wire.js';
import {
  fromMcpConfig,
  mcpServerBody,
  mcpServerPatch,
  toWireMcpServer,
  wireExecution,
  wireMcpServer,
  wireMcpSync,
} from './mcp-servers-wire.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

const serverParams = z.object({ mcp_server_id: idOf('mcp_server') });
const toolParams = serverParams.extend({ tool_id: idOf('tool') });

/** MCP servers and their tools, for clients of 1.x. */
export function mcpServerRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const servers = createResource(app, {
    ...{ path: '/v1/mcp-servers', operations: 'mcp_servers' },
    ...{ params: serverParams, item: wireMcpServer },
  });
  servers.create(
    'Register an MCP server, with its tools if it can be reached',
    mcpServerBody,
    async ({ body }) => {
      const input = { name: body.server_name, config: fromMcpConfig(body.config) };
      return toWireMcpServer(await registerMcpServer(context, input));
    },
  );
  servers.retrieve('Retrieve an MCP server', async ({ params }) =>
    toWireMcpServer(await requireMcpServer(db, params.mcp_server_id)),
  );
  servers.change('update', 'Change an MCP server', mcpServerPatch, async ({ params, body }) => {
    const server = await requireMcpServer(db, params.mcp_server_id);
    const config = body.config == null ? undefined : fromMcpConfig(body.config);
    const change = { name: body.server_name ?? undefined, config };
    return toWireMcpServer(await changeMcpServer(context, server, change));
  });
  servers.delete('Delete an MCP server and its tools, for all agents', ({ params }) =>
    deleteMcpServer(db, params.mcp_server_id),
  );
  allAndRefreshRoutes(app, context);
  toolRoutes(app, context);
}

function allAndRefreshRoutes(app: App, context: RouteContext): void {
  app.get(
    '/v1/mcp-servers',
    {
      schema: {
        ...describeRoute('mcp_servers.list', 'List the MCP servers'),
        response: { 200: z.array(wireMcpServer) },
      },
    },
    async () => (await listMcpServers(context.db)).map(toWireMcpServer),
  );
  app.patch(
    '/v1/mcp-servers/:mcp_server_id/refresh',
    {
      schema: {
        ...describeRoute('mcp_servers.refresh', 'Read an MCP server’s tools again'),
        params: serverParams,
        response: { 200: wireMcpSync },
      },
    },
    ({ params }) => refreshMcpServer(context, params.mcp_server_id).then(toWireSync),
  );
}

function toolRoutes(app: App, context: RouteContext): void {
  const { db, mcp, vault } = context;
  app.get(
    '/v1/mcp-servers/:mcp_server_id/tools',
    {
      schema: {
        ...describeRoute('mcp_servers.tools.list', 'List an MCP server’s tools'),
        params: serverParams,
        response: { 200: z.array(wireTool) },
      },
    },
    async ({ params }) => {
      const server = await requireMcpServer(db, params.mcp_server_id);
      return (await knownMcpTools(context, server)).map(toWireTool);
    },
  );
  app.get(
    '/v1/mcp-servers/:mcp_server_id/tools/:tool_id',
    {
      schema: {
        ...describeRoute('mcp_servers.tools.retrieve', 'Retrieve a tool of an MCP server'),
        params: toolParams,
        response: { 200: wireTool },
      },
    },
    async ({ params }) => {
      const server = await requireMcpServer(db, params.mcp_server_id);
      return toWireTool(await requireMcpTool(db, server.id, params.tool_id));
    },
  );
  app.post(
    '/v1/mcp-servers/:mcp_server_id/tools/:tool_id/run',
    {
      schema: {
        ...describeRoute('mcp_servers.tools.run', 'Call a tool of an MCP server, without an agent'),
        params: toolParams,
        body: z.object({ args: z.record(z.string(), z.unknown()).nullish() }).nullish(),
        response: { 200: wireExecution },
      },
    },
    async ({ params, body }) => {
      const server = await requireMcpServer(db, params.mcp_server_id);
      const tool = serverNameOf(await requireMcpTool(db, server.id, params.tool_id));
      const answer = await mcp.callTool(openMcpConfig(vault, server), { tool, arguments: body?.args ?? {} });
      return {
        status: answer.ok ? ('success' as const) : ('error' as const),
        func_return: answer.text,
        stdout: [],
        stderr: [],
        sandbox_config_fingerprint: null,
      };
    },
  );
}

function toWireSync(sync: {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}): z.infer<typeof wireMcpSync> {
  return { added: [...sync.added], updated: [...sync.updated], deleted: [...sync.deleted] };
}
