import { z } from 'zod';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { runAgentTool, runSource } from './tool-runs.js';
import { toSentTool } from './custom-tools.js';
import {
  runAgentToolBody,
  runSourceBody,
  toWireSourceRun,
  toWireToolRun,
  wireSourceRun,
  wireToolRun,
} from './tool-runs-wire.js';
import { toToolFields } from './tool-requests-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const runParams = agentParams.extend({ tool_name: z.string().min(1) });

/** Runs of tools outside of turns. */
export function toolRunRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/tools/run',
    {
      schema: {
        ...describeRoute(
          'tools.run',
          'Run a tool from its source, without an agent and without network access',
        ),
        body: runSourceBody,
        response: { 200: wireSourceRun },
      },
    },
    async (request) => {
      const { body } = request;
      const { requirements = [] } = toToolFields(body);
      const run = { sent: toSentTool(body, callerOf(request)), requirements };
      const ran = await runSource(context, run, { args: body.args, environment: body.env_vars ?? {} });
      return toWireSourceRun(ran.name, ran.end);
    },
  );
  app.post(
    '/v1/agents/:agent_id/tools/:tool_name/run',
    {
      schema: {
        ...describeRoute(
          'agents.tools.run',
          'Run a custom tool or a memory tool of an agent, as the agent would',
        ),
        params: runParams,
        body: runAgentToolBody,
        response: { 200: wireToolRun },
      },
    },
    async ({ params, body }) => {
      const run = { agentId: params.agent_id, toolName: params.tool_name, args: body.args };
      return toWireToolRun(await runAgentTool(context, run));
    },
  );
}
