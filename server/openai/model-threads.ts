import { listAgents } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import { RequestRefusedError } from '../http/problems.js';
import { type NamedThread, requireThread } from '../threads/thread-lookup.js';

/**
 * The thread that a request of OpenAI's API names as its `model`. Throws RequestRefusedError, AgentNotFoundError and
 * ConversationNotFoundError.
 */
export async function findModelThread(db: Db, model: string): Promise<NamedThread> {
  if (/^(agent|conv)-[0-9a-f-]{36}$/i.test(model)) return requireThread(db, model, null);
  const [agent, other] = await listAgents(db, { name: model }, { limit: 2 });
  if (agent === undefined) {
    throw new RequestRefusedError(
      404,
      `There is no agent '${model}'. Set \`model\` to an agent’s id or name; GET /v1/agents lists them.`,
    );
  }
  if (other !== undefined) {
    throw new RequestRefusedError(
      400,
      `Several agents are named '${model}'. Set \`model\` to the id of one of them.`,
    );
  }
  return { agent, threadId: agent.id };
}
