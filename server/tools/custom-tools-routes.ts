import { z } from 'zod';
import { deleteTool } from '../../schema/tools/custom-tools.js';
import { listTools } from '../../schema/tools/tools.js';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { changeRequestedTool, createRequestedTool, upsertRequestedTool } from './custom-tools.js';
import { createToolBody, updateToolBody } from './tool-requests-wire.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { toolParams } from '../http/params-wire.js';

/** Custom tools, made from users' source: create, change, delete. */
export function customToolRoutes(app: App, context: RouteContext): void {
  const tools = createResource(app, {
    ...{ path: '/v1/tools', operations: 'tools' },
    ...{ params: toolParams, item: wireTool },
  });
  tools.create(
    'Create a tool from source; its name and schema are read from it',
    createToolBody,
    async (request) => toWireTool(await createRequestedTool(context, request.body, callerOf(request))),
  );
  app.put(
    '/v1/tools',
    {
      schema: {
        ...describeRoute('tools.upsert', 'Create a tool, or change the one with its name'),
        body: createToolBody,
        response: { 200: wireTool },
      },
    },
    async (request) => toWireTool(await upsertRequestedTool(context, request.body, callerOf(request))),
  );
  tools.change('update', 'Change a custom tool', updateToolBody, async (request) => {
    const change = { toolId: request.params.tool_id, body: request.body, caller: callerOf(request) };
    return toWireTool(await changeRequestedTool(context, change));
  });
  app.delete(
    '/v1/tools/:tool_id',
    {
      schema: {
        ...describeRoute(
          'tools.delete',
          'Delete a custom tool, for all agents that have it; a base tool is only detached from all agents',
        ),
        params: toolParams,
        response: { 200: z.null() },
      },
    },
    async ({ params }) => {
      await deleteTool(context.db, params.tool_id);
      return null;
    },
  );
  app.post(
    '/v1/tools/add-base-tools',
    {
      schema: {
        ...describeRoute('tools.add_base_tools', 'List the tools that come with the server'),
        response: { 200: z.array(wireTool) },
      },
    },
    async () => (await listTools(context.db, { excludedToolTypes: ['custom'] }, {})).map(toWireTool),
  );
}
