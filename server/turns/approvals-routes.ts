import { z } from 'zod';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import { listAgentTools } from '../../schema/tools/agent-tools.js';
import { updateAgent } from '../../schema/agents/updates.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { ToolNotFoundError } from '../../schema/tools/errors.js';
import { viewAgent } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import { wireAgent } from '../agents/agents-wire.js';
import { queryBoolean } from '../http/fields-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

/** The TypeScript client of 1.x sends `body_requires_approval`, its own name of the field. */
const approvalSetting = z.object({
  requires_approval: z.boolean().optional(),
  body_requires_approval: z.boolean().optional(),
});

/** Which of an agent's tools need a person's approval before each call. */
export function approvalRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.patch(
    '/v1/agents/:agent_id/tools/approval/:tool_name',
    {
      schema: {
        ...describeRoute(
          'agents.tools.update_approval',
          'Set whether calls of an agent’s tool need an approval',
        ),
        params: agentParams.extend({ tool_name: z.string() }),
        querystring: z.object({ requires_approval: queryBoolean.optional() }),
        body: approvalSetting.nullish(),
        response: { 200: wireAgent },
      },
    },
    async ({ params, query, body }) => {
      const wanted = body?.requires_approval ?? body?.body_requires_approval ?? query.requires_approval;
      if (wanted === undefined) {
        throw new RequestRefusedError(422, 'body.requires_approval: must be true or false.');
      }
      const { agent_id: agentId, tool_name: tool } = params;
      const agent = await requireAgent(db, agentId);
      const tools = await listAgentTools(db, agentId);
      if (!tools.some(({ name }) => name === tool)) throw new ToolNotFoundError([tool]);
      const others = agent.toolRules.filter(
        (rule) => !(rule.kind === 'requires_approval' && rule.tool === tool),
      );
      const toolRules: ToolRule[] = wanted ? [...others, { kind: 'requires_approval', tool }] : others;
      return viewAgent(context, await updateAgent(db, agentId, { toolRules }));
    },
  );
}
