import type { Agent } from '../../core/agents/agents.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { requireConversation } from '../../schema/threads/conversations.js';
import type { Db } from '../../schema/db/database.js';
import { RequestRefusedError } from '../http/problems.js';

/** The thread that a request about a conversation means, and whose it is. */
export interface NamedThread {
  readonly agent: Agent;
  readonly threadId: string;
}

/**
 * The thread that a path names: a conversation, or an agent's default one, as `default` with the agent's id beside it
 * or as that id itself. Throws ConversationNotFoundError, AgentNotFoundError and RequestRefusedError.
 */
export async function requireThread(
  db: Db,
  name: string,
  agentId: string | null | undefined,
): Promise<NamedThread> {
  if (name.startsWith('conv-')) {
    const conversation = await requireConversation(db, name);
    return { agent: await requireAgent(db, conversation.agentId), threadId: name };
  }
  const id = name === 'default' ? agentId : name;
  if (id == null) {
    throw new RequestRefusedError(
      422,
      'agent_id: is needed beside the conversation `default`. Give the agent’s ID.',
    );
  }
  return { agent: await requireAgent(db, id), threadId: id };
}
