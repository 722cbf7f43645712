import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyBaseLogger } from 'fastify';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { getAgentBlock, listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { accepted } from '../blocks/block-writes.js';
import type { RouteContext } from '../context.js';
import { definedFields } from '../http/defined-fields.js';
import { replying, toResult } from './tool-replies.js';
import { appendTool, listBlocksTool, readBlockTool, replaceTool } from './tools-wire.js';

/** Tools to read and edit an agent's core memory. A change is the user's, as over REST. */
export function addMemoryTools(server: McpServer, context: RouteContext, log: FastifyBaseLogger): void {
  const { db } = context;
  server.registerTool('list_memory_blocks', listBlocksTool, ({ agent_id: agentId }) =>
    replying(log, async () => {
      await requireAgent(db, agentId);
      return toResult({ blocks: (await listAgentBlocks(db, agentId)).map(toFields) });
    }),
  );
  server.registerTool('read_memory_block', readBlockTool, ({ agent_id: agentId, label }) =>
    replying(log, async () => {
      await requireAgent(db, agentId);
      const block = await getAgentBlock(db, agentId, label);
      return toResult(toFields(block), block.value);
    }),
  );
  server.registerTool('append_to_memory_block', appendTool, ({ content, ...edit }) =>
    replying(log, () => change(context, edit, { kind: 'append', content })),
  );
  server.registerTool('replace_in_memory_block', replaceTool, ({ old, new: next, ...edit }) =>
    replying(log, () => change(context, edit, { kind: 'replace', old, new: next, all: false })),
  );
}

/** Which block a call changes, and under which conditions. */
interface Edit {
  readonly agent_id: string;
  readonly label: string;
  readonly if_revision?: number | undefined;
  readonly idempotency_key?: string | undefined;
}

/** Throws AgentNotFoundError, BlockNotFoundError, BlockConflictError and RequestRefusedError. */
async function change(
  { db, blocks }: RouteContext,
  { agent_id: agentId, label, if_revision: ifRevision, idempotency_key: key }: Edit,
  operation: BlockOperation,
): Promise<CallToolResult> {
  await requireAgent(db, agentId);
  const { id } = await getAgentBlock(db, agentId, label);
  const block = accepted(await blocks.change(id, operation, definedFields({ ifRevision, key })));
  return toResult(toFields(block));
}

function toFields({ label, value, description, limit, readOnly, revision }: Block) {
  return { label, value, description, limit, read_only: readOnly, revision };
}
