import { z } from 'zod';
import { attachTool, detachTool, listAgentTools } from '../../schema/tools/agent-tools.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { countTools, listTools, requireTool } from '../../schema/tools/tools.js';
import { viewAgent } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields, queryBoolean, queryList } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { cutPage } from '../http/list-pages.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { createResource, listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams, toolParams } from '../http/params-wire.js';

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

/** Tools, and attaching them to agents. */
export function toolRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const tools = createResource(app, {
    ...{ path: '/v1/tools', operations: 'tools' },
    ...{ params: toolParams, item: wireTool },
  });
  tools.list('List tools, newest first', { query: listQuery, order: 'desc' }, async ({ query }, page) => {
    const filter = {
      name: query.name,
      names: query.names,
      ids: query.tool_ids,
      query: query.search,
      toolTypes: query.tool_types,
      excludedToolTypes: query.exclude_tool_types,
      from: query.return_only_letta_tools === true ? ('runtime' as const) : undefined,
    };
    return (await listTools(db, filter, page)).map(toWireTool);
  });
  tools.retrieve('Retrieve a tool', async ({ params }) => toWireTool(await requireTool(db, params.tool_id)));
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
  agentToolRoutes(app, context);
}

function agentToolRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  listRoute(
    app,
    {
      ...{ path: '/v1/agents/:agent_id/tools', operation: 'agents.tools.list' },
      summary: 'List an agent’s tools',
      params: agentParams,
      ...{ query: z.object(pageFields(idOf('tool'), 100)), order: 'asc', item: wireTool },
    },
    async ({ params }, page) => {
      await requireAgent(db, params.agent_id);
      return cutPage(await listAgentTools(db, params.agent_id), page).map(toWireTool);
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
