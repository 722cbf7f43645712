import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { FastifyBaseLogger } from 'fastify';
import { listAgents } from '../../schema/agents/agents.js';
import type { RouteContext } from '../context.js';
import { talk } from './talking.js';
import { replying, toResult } from './tool-replies.js';
import { listAgentsTool, talkTool } from './tools-wire.js';

/** Tools to find agents and to talk to them. */
export function addAgentTools(server: McpServer, context: RouteContext, log: FastifyBaseLogger): void {
  server.registerTool('list_agents', listAgentsTool, ({ name, limit }) =>
    replying(log, async () => {
      const filter = { query: name, showsHidden: false };
      const agents = await listAgents(context.db, filter, { limit, order: 'desc' });
      return toResult({
        agents: agents.map((agent) => ({ id: agent.id, name: agent.name, description: agent.description })),
      });
    }),
  );
  server.registerTool('talk_to_agent', talkTool, (asked, { signal }) =>
    replying(log, () => talk(context, asked, signal)),
  );
}
