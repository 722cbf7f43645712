import { sql } from 'kysely';
import { type AgentType, loopStyle } from '../../core/agents/agents.js';
import { wordsSaid } from '../../core/threads/spoken-words.js';
import type { SpeakingTools } from '../../core/tools/messaging.js';
import type { Db, Tx } from '../db/database.js';
import { listMessages } from '../threads/messages.js';

/** What an agent said in a turn, in order; empty where the turn is gone. */
export async function wordsOfTurn(
  db: Db | Tx,
  turnId: string,
  speaking: SpeakingTools,
): Promise<readonly string[]> {
  const found = await sql<{ agentType: AgentType }>`
    select agent_type as "agentType" from agents where id = (select agent_id from turns where id = ${turnId})`.execute(
    db,
  );
  const [agent] = found.rows;
  if (agent === undefined) return [];
  const messages = await listMessages(db, { turnId, kinds: ['assistant'] }, {});
  return messages.flatMap(({ body }) => wordsSaid(body, loopStyle(agent.agentType), speaking));
}
