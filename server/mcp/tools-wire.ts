import { z } from 'zod';
import { idOf } from '../http/ids-wire.js';
import { whenBusy } from '../threads/message-requests-wire.js';

const agentId = idOf('agent').describe('The agent’s id, as list_agents gives it.');
const label = z.string().min(1).describe('The block’s label, such as human.');
const key = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A text of your choice for this call. A second call with it does nothing again.');
const ifRevision = z
  .int()
  .min(1)
  .optional()
  .describe('Change the block only if this is still its revision. Absent: whatever its value is now.');
const limit = z.int().min(1).max(100).default(10).describe('The most results.');

const block = {
  label: z.string(),
  value: z.string(),
  description: z.string().nullable(),
  limit: z.int().describe('In characters.'),
  read_only: z.boolean(),
  revision: z.int(),
};
const edit = { agent_id: agentId, label, if_revision: ifRevision, idempotency_key: key };
const nothingChanged = { readOnlyHint: true } as const;
const onlyAdds = { readOnlyHint: false, destructiveHint: false } as const;

/** The tools of the MCP server: what a model reads of them, what they take and what they return. */
export const listAgentsTool = {
  title: 'List agents',
  description: 'List the agents of this server, newest first. Their ids are what the other tools take.',
  annotations: nothingChanged,
  inputSchema: {
    name: z.string().optional().describe('A part of the name. Absent: all agents.'),
    limit,
  },
  outputSchema: {
    agents: z.array(z.object({ id: z.string(), name: z.string(), description: z.string().nullable() })),
  },
};

export const talkTool = {
  title: 'Talk to an agent',
  description:
    'Send an agent a message and wait for its answer. Where it needs longer than wait_seconds, the result says so and gives an idempotency_key: call again with it and the same message to wait on. Nothing is sent twice under one key.',
  annotations: onlyAdds,
  inputSchema: {
    agent_id: agentId,
    message: z.string().min(1).describe('What you say to the agent. It remembers earlier messages.'),
    when_busy: whenBusy
      .optional()
      .describe(
        'What the message does where the agent is busy: queue (default) waits for its own turn, steer enters the running turn, interrupt ends that turn.',
      ),
    idempotency_key: key,
    wait_seconds: z
      .int()
      .min(0)
      .max(600)
      .default(45)
      .describe('How long to wait for the answer. Many clients give up after 60 s.'),
  },
  outputSchema: {
    status: z
      .enum(['answered', 'waiting', 'working', 'needs_approval', 'cancelled', 'failed'])
      .describe('`waiting`: behind other messages. `working`: the agent is at it.'),
    answer: z.string(),
    run_id: z.string(),
    idempotency_key: z.string(),
  },
};

export const listBlocksTool = {
  title: 'List memory blocks',
  description: 'List an agent’s core memory: the blocks that it always has in context, with their values.',
  annotations: nothingChanged,
  inputSchema: { agent_id: agentId },
  outputSchema: { blocks: z.array(z.object(block)) },
};

export const readBlockTool = {
  title: 'Read a memory block',
  description: 'Read a block of an agent’s core memory.',
  annotations: nothingChanged,
  inputSchema: { agent_id: agentId, label },
  outputSchema: block,
};

export const appendTool = {
  title: 'Append to a memory block',
  description: 'Add a line to the end of a block of an agent’s core memory.',
  annotations: onlyAdds,
  inputSchema: { ...edit, content: z.string().min(1) },
  outputSchema: block,
};

export const replaceTool = {
  title: 'Replace in a memory block',
  description:
    'Replace a text in a block of an agent’s core memory. The old text must be there exactly once. The value before is kept as a revision.',
  annotations: { readOnlyHint: false },
  inputSchema: {
    ...edit,
    old: z.string().min(1).describe('The text to replace, word for word.'),
    new: z.string().describe('What takes its place; empty: nothing.'),
  },
  outputSchema: block,
};

export const searchArchiveTool = {
  title: 'Search archival memory',
  description: 'Search an agent’s archival memory and files by meaning and by words, best first.',
  annotations: nothingChanged,
  inputSchema: { agent_id: agentId, query: z.string().min(1), limit, tags: z.array(z.string()).optional() },
  outputSchema: {
    results: z.array(
      z.object({ id: z.string(), created_at: z.string(), text: z.string(), tags: z.array(z.string()) }),
    ),
  },
};

export const insertPassageTool = {
  title: 'Insert into archival memory',
  description: 'Store a text in an agent’s archival memory, where it is found by meaning and by words.',
  annotations: onlyAdds,
  inputSchema: {
    agent_id: agentId,
    text: z.string().min(1),
    tags: z.array(z.string()).optional(),
    idempotency_key: key,
  },
  outputSchema: { id: z.string() },
};

export const searchConversationTool = {
  title: 'Search the conversation',
  description: 'Search what an agent and its users said, by words and by meaning, best first.',
  annotations: nothingChanged,
  inputSchema: { agent_id: agentId, query: z.string().min(1), limit },
  outputSchema: {
    results: z.array(
      z.object({ message_id: z.string(), created_at: z.string(), role: z.string(), text: z.string() }),
    ),
  },
};
