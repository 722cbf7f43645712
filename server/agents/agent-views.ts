import type { Agent } from '../../core/agents/agents.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import { agentDetails } from '../../schema/agents/details.js';
import type { Author } from '../../schema/blocks/authors.js';
import { pendingApproval } from '../../schema/turns/pending-approvals.js';
import { listGroups } from '../../schema/groups/groups.js';
import { getMessages, loadQueue } from '../../schema/threads/messages.js';
import { asEditedBy } from '../../schema/blocks/branches.js';
import { openFilesOfAgents } from '../../schema/files/open-files.js';
import type { ServerDeps } from '../deps.js';
import { systemMessageId } from '../threads/system-messages.js';
import { toWireSource } from '../files/sources-wire.js';
import { toWireAgent, type WireAgent } from './agents-wire.js';
import { toWireMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';

/** One agent's state as the API shows it. A running tool that calls back sees the blocks as its turn has edited them. */
export async function viewAgent(
  deps: ServerDeps,
  agent: Agent,
  reader: Pick<Author, 'turnId'> = {},
): Promise<WireAgent> {
  const [view] = await viewAgents(deps, [agent], reader);
  const queue = await loadQueue(deps.db, agent.id);
  if (view === undefined) throw new Error(`agent ${agent.id} has no view`);
  return {
    ...view,
    message_ids: [systemMessageId(agent.id), ...queue.map((message) => message.id)],
    pending_approval: await viewPending(deps, agent),
  };
}

/** The request for approval of the calls that wait in the agent's default thread. */
async function viewPending(
  { db, extensions }: ServerDeps,
  agent: Agent,
): Promise<WireAgent['pending_approval']> {
  const pending = await pendingApproval(db, agent.id);
  if (pending === undefined) return null;
  const [message] = await getMessages(db, [pending.messageId]);
  if (message?.body.kind !== 'assistant') return null;
  const awaited = new Set(pending.toolCallIds);
  const toolCalls = message.body.toolCalls.filter((call) => awaited.has(call.id));
  const body = { ...message.body, text: '', reasoning: '', toolCalls };
  return toWireMessages({ ...message, body }, toRendering(agent, {}, extensions))[0] ?? null;
}

/**
 * The states of several agents, with as many queries as for one and one more for each open file. The ids of messages in
 * context are left out.
 */
export async function viewAgents(
  deps: ServerDeps,
  agents: readonly Agent[],
  reader: Pick<Author, 'turnId'> = {},
): Promise<WireAgent[]> {
  const ids = agents.map((agent) => agent.id);
  const details = await agentDetails(deps.db, ids);
  const openFiles = await openFilesOfAgents(deps.db, ids);
  const groups = await listGroups(deps.db, { managerAgentIds: ids }, {});
  const asEdited = await asEditedBy(deps.db, reader);
  return agents.map((agent) => {
    const {
      blocks = [],
      tools = [],
      sources = [],
      identities = [],
      lastTurn = null,
    } = details.get(agent.id) ?? {};
    const model = deps.models.describe(agent.model);
    return toWireAgent({
      agent,
      blocks: blocks.map(asEdited),
      tools,
      sources: sources.map((source) => toWireSource(source, describeEmbedding(deps, source.embedding))),
      messageIds: [],
      openFiles: openFiles.get(agent.id) ?? [],
      identities,
      lastTurn,
      model,
      embedding: describeEmbedding(deps, agent.embedding),
      group: groups.find((group) => group.managerAgentId === agent.id) ?? null,
    });
  });
}

/** The description of an embedding model, even if its provider is no longer configured. */
export function describeEmbedding(deps: ServerDeps, handle: string): EmbeddingDescription {
  try {
    return deps.embeddings.resolve(handle).description;
  } catch {
    const slash = handle.indexOf('/');
    return { handle, provider: handle.slice(0, slash), model: handle.slice(slash + 1), dimensions: 0 };
  }
}
