import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { FastifyBaseLogger } from 'fastify';
import { derivedId } from '../../core/ids.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { insertPassage, searchPassages } from '../archives/agent-passages.js';
import type { RouteContext } from '../context.js';
import { toFoundMessages } from '../threads/found-messages-wire.js';
import { findMessages } from '../threads/message-search.js';
import { toRendering } from '../threads/rendering-wire.js';
import { replying, toResult } from './tool-replies.js';
import { insertPassageTool, searchArchiveTool, searchConversationTool } from './tools-wire.js';

/** Tools to search what an agent knows, and to add to its archive. */
export function addSearchTools(server: McpServer, context: RouteContext, log: FastifyBaseLogger): void {
  const { db } = context;
  server.registerTool('search_archival_memory', searchArchiveTool, ({ agent_id: agentId, ...search }) =>
    replying(log, async () => {
      const found = await searchPassages(context, await requireAgent(db, agentId), search);
      return toResult({
        results: found.map(({ passage: { id, createdAt, text, tags } }) => ({
          ...{ id, created_at: createdAt.toISOString(), text },
          tags: [...tags],
        })),
      });
    }),
  );
  server.registerTool(
    'insert_into_archival_memory',
    insertPassageTool,
    ({ agent_id: agentId, text, tags, idempotency_key: key }) =>
      replying(log, async () => {
        const agent = await requireAgent(db, agentId);
        const id = key === undefined ? undefined : derivedId('passage', agentId, 'key', key);
        const { passages } = await insertPassage(context, agent, { id, text, tags });
        return toResult({ id: passages[0]?.id });
      }),
  );
  server.registerTool('search_conversation', searchConversationTool, ({ agent_id: agentId, query, limit }) =>
    replying(log, async () => {
      const agent = await requireAgent(db, agentId);
      const found = await findMessages(context, { agentId, query, limit, way: 'both' });
      const rendering = toRendering(agent, {}, context.extensions);
      return toResult({
        results: found.flatMap((message) => toFoundMessages(message, rendering)).flatMap(toFields),
      });
    }),
  );
}

/** What was said, without reasoning. */
function toFields(found: ReturnType<typeof toFoundMessages>[number]) {
  if (found.message_type === 'reasoning_message') return [];
  const { message_id, created_at, content } = found;
  const role = found.message_type.replace('_message', '');
  return [
    { message_id, created_at, role, text: typeof content === 'string' ? content : JSON.stringify(content) },
  ];
}
