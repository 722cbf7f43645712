import { z } from 'zod';
import { attachTool, detachTool, listAgentTools } from '../../schema/tools/agent-tools.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { countTools, listTools, requireTool } from '../../schema/tools/tools.js';
import { viewAgent } from '../agents/views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields, queryBoolean, queryList, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { cutPage } from '../http/lists-wire.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/documentation-routes.js';

/** The path of one tool. */
export const toolParams = z.object({ tool_id: idOf('tool') });
const attachParams = agentParams.extend({ tool_id: idOf('tool') });

const listQuery = z.object({
  ...pageFields(idOf('tool'), 50),
  name: z.string().optional(),
  names: queryList.optional(),
  tool_ids: queryList.optional(),
  search: z.string().optional(),
  tool_types: queryList.optional(),
  exclude_tool_types: queryList.optional(),
  return_only_letta_tools: queryBoolean.optional(),
});

/** Tools that agents may have, and which ones an agent has. */
export function toolRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/tools',
    {
      schema: {
        ...describeRoute('tools.list', 'List tools, newest first'),
        querystring: listQuery,
        response: { 200: z.array(wireTool) },
      },
    },
    async ({ query }) => {
      const filter = {
        name: query.name,
        names: query.names,
        ids: query.tool_ids,
        query: query.search,
        toolTypes: query.tool_types,
        excludedToolTypes: query.exclude_tool_types,
        from: query.return_only_letta_tools === true ? ('runtime' as const) : undefined,
      };
      return (await listTools(db, filter, toPage(query, 'desc'))).map(toWireTool);
    },
  );
  app.get(
    '/v1/tools/count',
    {
      schema: {
        ...describeRoute('tools.count', 'Count tools'),
        querystring: z.object({ include_base_tools: queryBoolean.optional() }),
        response: { 200: z.number() },
      },
    },
    ({ query }) => countTools(db, query.include_base_tools === false ? { from: 'users' } : {}),
  );
  app.get(
    '/v1/tools/:tool_id',
    {
      schema: {
        ...describeRoute('tools.retrieve', 'Retrieve a tool'),
        params: toolParams,
        response: { 200: wireTool },
      },
    },
    async ({ params }) => toWireTool(await requireTool(db, params.tool_id)),
  );
  agentToolRoutes(app, context);
}

function agentToolRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/agents/:agent_id/tools',
    {
      schema: {
        ...describeRoute('agents.tools.list', 'List an agent’s tools'),
        params: agentParams,
        querystring: z.object(pageFields(idOf('tool'), 100)),
        response: { 200: z.array(wireTool) },
      },
    },
    async ({ params, query }) => {
      await requireAgent(db, params.agent_id);
      return cutPage(await listAgentTools(db, params.agent_id), toPage(query, 'asc')).map(toWireTool);
    },
  );
  app.patch(
    '/v1/agents/:agent_id/tools/attach/:tool_id',
    {
      schema: {
        ...describeRoute('agents.tools.attach', 'Attach a tool to an agent'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      await attachTool(db, params.agent_id, params.tool_id);
      return viewAgent(context, await requireAgent(db, params.agent_id));
    },
  );
  app.patch(
    '/v1/agents/:agent_id/tools/detach/:tool_id',
    {
      schema: {
        ...describeRoute('agents.tools.detach', 'Detach a tool from an agent'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      const agent = await requireAgent(db, params.agent_id);
      await requireTool(db, params.tool_id);
      await detachTool(db, agent.id, params.tool_id);
      return viewAgent(context, agent);
    },
  );
}
