import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';
import type { KnownIds } from './visits.js';

/** Ids of what an agent has, by the names that they have in the API's paths and queries. */
export async function idsOfAgent(db: Db, agentId: string): Promise<KnownIds> {
  const { rows } = await sql<Record<string, string | null>>`
    select ${agentId}::text as agent_id, turns.id as run_id,
      (select min(id) from steps where turn_id = turns.id) as step_id,
      (select min(id) from messages where turn_id = turns.id) as message_id,
      (select block_id from agent_blocks where agent_id = ${agentId} order by position limit 1) as block_id,
      (select label from agent_blocks where agent_id = ${agentId} order by position limit 1) as block_label,
      (select tool_id from agent_tools where agent_id = ${agentId} order by position limit 1) as tool_id,
      (select archive_id from agent_archives where agent_id = ${agentId} limit 1) as archive_id,
      (select id from threads where agent_id = ${agentId} and not is_default limit 1) as conversation_id
    from turns where agent_id = ${agentId} order by created_at limit 1`.execute(db);
  const found = Object.entries(rows[0] ?? {}).filter(([, id]) => id !== null) as [string, string][];
  return { ...Object.fromEntries(found), revision: '1' };
}
