import type { Agent } from '../../core/agents/agents.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { requireConversation } from '../../schema/threads/conversations.js';
import type { Db } from '../../schema/db/database.js';
import { RequestRefusedError } from '../http/problems.js';

/** A thread that a request names, with its agent. */
export interface NamedThread {
  readonly agent: Agent;
  readonly threadId: string;
}

/**
 * The thread that a path names: a conversation's id, an agent's id for its default thread, or `default` with the agent's
 * id in another field. Throws ConversationNotFoundError, AgentNotFoundError and RequestRefusedError.
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
      'agent_id: is needed for the conversation `default`. Give the agent’s ID.',
    );
  }
  return { agent: await requireAgent(db, id), threadId: id };
}
