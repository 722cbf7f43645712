import type { Agent } from '../../core/agents/agents.js';
import type { Block } from '../../core/blocks/blocks.js';
import type { ToolSchema } from '../../core/models/model.js';
import type { ToolAgentState } from './runner-protocol.js';

/** The agent as a tool's code sees it in `agent_state`, with Letta's field names and these variables. */
export function toAgentState(
  snapshot: {
    readonly agent: Agent;
    readonly blocks: readonly Block[];
    readonly tools: readonly { readonly id: string; readonly name: string; readonly schema: ToolSchema }[];
  },
  variables: Readonly<Record<string, string>>,
): ToolAgentState {
  const { agent, blocks, tools } = snapshot;
  return {
    id: agent.id,
    name: agent.name,
    system: agent.system,
    agent_type: agent.agentType,
    description: agent.description,
    metadata: agent.metadata,
    model: agent.model,
    embedding: agent.embedding,
    context_window_limit: agent.contextWindow,
    tags: agent.tags,
    timezone: agent.timezone,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    tools: tools.map(({ id, name, schema }) => ({
      id,
      name,
      description: schema.description,
      json_schema: schema,
    })),
    tool_exec_environment_variables: Object.entries(variables).map(([key, value]) => ({ key, value })),
    blocks: blocks.map((block) => ({
      id: block.id,
      label: block.label,
      value: block.value,
      limit: block.limit,
      description: block.description,
      read_only: block.readOnly,
      metadata: block.metadata,
      tags: block.tags,
      revision: block.revision,
    })),
  };
}
