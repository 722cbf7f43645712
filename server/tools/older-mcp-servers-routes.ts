import { z } from 'zod';
import { ToolNotFoundError } from '../../schema/tools/errors.js';
import { openMcpConfig } from '../../schema/tools/mcp-secrets.js';
import {
  deleteMcpServer,
  listMcpServers,
  type McpServerRecord,
  requireMcpServer,
} from '../../schema/tools/mcp-servers.js';
import { findMcpTool } from '../../schema/tools/mcp-tools.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { changeMcpServer, refreshMcpServer, registerMcpServer } from './mcp-registration.js';
import { RequestRefusedError } from '../http/problems.js';
import { freeObject } from '../http/fields-wire.js';
import {
  fromMcpConfig,
  mergeMcpConfig,
  olderMcpServerBody,
  olderMcpServerPatch,
  toOlderMcpServer,
  wireMcpTool,
} from './mcp-servers-wire.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const serverParams = z.object({ mcp_server_name: z.string().min(1) });

/** MCP servers by name, for clients of 0.1.x. */
export function olderMcpServerRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
  toolRoutes(app, context);
}

function collectionRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/tools/mcp/servers',
    {
      schema: {
        ...describeRoute('tools.list_mcp_servers', 'List the MCP servers by name'),
        response: { 200: z.record(z.string(), freeObject) },
      },
    },
    async () => {
      const servers = await listMcpServers(db);
      return Object.fromEntries(servers.map((server) => [server.name, toOlderMcpServer(server)]));
    },
  );
  app.put(
    '/v1/tools/mcp/servers',
    {
      schema: {
        ...describeRoute('tools.add_mcp_server', 'Register an MCP server; returns all servers'),
        body: olderMcpServerBody,
        response: { 200: z.array(freeObject) },
      },
    },
    async ({ body }) => {
      await registerMcpServer(context, { name: body.server_name, config: fromMcpConfig(body) });
      return (await listMcpServers(db)).map(toOlderMcpServer);
    },
  );
}

function itemRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.patch(
    '/v1/tools/mcp/servers/:mcp_server_name',
    {
      schema: {
        ...describeRoute('tools.update_mcp_server', 'Change an MCP server'),
        params: serverParams,
        body: olderMcpServerPatch,
        response: { 200: freeObject },
      },
    },
    async ({ params, body }) => {
      const server = await requireMcpServer(db, params.mcp_server_name);
      const config = mergeMcpConfig(openMcpConfig(context.vault, server), body);
      if (config === 'other kind') throw otherKind(server);
      return toOlderMcpServer(
        await changeMcpServer(context, server, { name: body.server_name ?? undefined, config }),
      );
    },
  );
  app.delete(
    '/v1/tools/mcp/servers/:mcp_server_name',
    {
      schema: {
        ...describeRoute(
          'tools.delete_mcp_server',
          'Delete an MCP server and its tools; returns the other servers',
        ),
        params: serverParams,
        response: { 200: z.array(freeObject) },
      },
    },
    async ({ params }) => {
      const server = await requireMcpServer(db, params.mcp_server_name);
      await deleteMcpServer(db, server.id);
      return (await listMcpServers(db)).map(toOlderMcpServer);
    },
  );
}

function toolRoutes(app: App, context: RouteContext): void {
  const { db, mcp, vault } = context;
  app.get(
    '/v1/tools/mcp/servers/:mcp_server_name/tools',
    {
      schema: {
        ...describeRoute('tools.list_mcp_tools_by_server', 'List the current tools of an MCP server'),
        params: serverParams,
        response: { 200: z.array(wireMcpTool) },
      },
    },
    async ({ params }) => {
      const server = await requireMcpServer(db, params.mcp_server_name);
      const tools = await mcp.listTools(openMcpConfig(vault, server));
      return tools.map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: { ...parameters },
      }));
    },
  );
  app.post(
    '/v1/tools/mcp/servers/:mcp_server_name/:mcp_tool_name',
    {
      schema: {
        ...describeRoute(
          'tools.add_mcp_tool',
          'Retrieve the tool that stands for a tool of an MCP server, to attach it to agents',
        ),
        params: serverParams.extend({ mcp_tool_name: z.string().min(1) }),
        response: { 200: wireTool },
      },
    },
    async ({ params }) => {
      const server = await requireMcpServer(db, params.mcp_server_name);
      const tool = await findOrRefresh(context, server, params.mcp_tool_name);
      return toWireTool(tool);
    },
  );
}

function otherKind({ name, config }: McpServerRecord): RequestRefusedError {
  const { transport } = config.sealed;
  const sentence = `MCP server ${name} uses ${transport}, and the change belongs to another transport. Delete the server and register it again.`;
  return new RequestRefusedError(422, sentence);
}

/** Reads the server's tools again where the tool is unknown. Throws ToolNotFoundError, McpError. */
async function findOrRefresh(context: RouteContext, server: McpServerRecord, name: string) {
  const known = await findMcpTool(context.db, server.id, name);
  if (known !== undefined) return known;
  await refreshMcpServer(context, server.id);
  const found = await findMcpTool(context.db, server.id, name);
  if (found === undefined) throw new ToolNotFoundError([name]);
  return found;
}
