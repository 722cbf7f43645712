import type { Agent } from '../core/agents.js';
import type { EmbeddingDescription } from '../core/model.js';
import { agentDetails } from '../schema/agent-details.js';
import { listGroups } from '../schema/groups.js';
import { loadQueue } from '../schema/messages.js';
import type { ServerDeps } from './deps.js';
import { toWireSource } from './wire/sources.js';
import { toWireAgent, type WireAgent } from './wire/agents.js';

/** One agent's state as the API tells it. */
export async function viewAgent(deps: ServerDeps, agent: Agent): Promise<WireAgent> {
  const [view] = await viewAgents(deps, [agent]);
  const queue = await loadQueue(deps.db, agent.id);
  if (view === undefined) throw new Error(`agent ${agent.id} has no view`);
  return { ...view, message_ids: queue.map((message) => message.id) };
}

/** The states of several agents in as many queries as for one. Which messages are in context is left out. */
export async function viewAgents(deps: ServerDeps, agents: readonly Agent[]): Promise<WireAgent[]> {
  const ids = agents.map((agent) => agent.id);
  const details = await agentDetails(deps.db, ids);
  const groups = await listGroups(deps.db, { managerAgentIds: ids }, {});
  return agents.map((agent) => {
    const { blocks = [], tools = [], sources = [], lastTurn = null } = details.get(agent.id) ?? {};
    const model = deps.models.describe(agent.model);
    return toWireAgent({
      agent,
      blocks,
      tools,
      sources: sources.map((source) => toWireSource(source, describeEmbedding(deps, source.embedding))),
      messageIds: [],
      lastTurn,
      model,
      embedding: describeEmbedding(deps, agent.embedding),
      group: groups.find((group) => group.managerAgentId === agent.id) ?? null,
    });
  });
}

/** What is known of an embedding model, also when its provider is no longer configured. */
export function describeEmbedding(deps: ServerDeps, handle: string): EmbeddingDescription {
  try {
    return deps.embeddings.resolve(handle).description;
  } catch {
    const slash = handle.indexOf('/');
    return { handle, provider: handle.slice(0, slash), model: handle.slice(slash + 1), dimensions: 0 };
  }
}
