import { sql } from 'kysely';
import type { Block } from '../core/blocks.js';
import { blocksOfAgents } from './agent-blocks.js';
import { toolsOfAgents } from './agent-tools.js';
import type { Db, Tx } from './database.js';
import type { Tool } from './tools.js';

/** What belongs to an agent and has rows of its own. */
export interface AgentDetails {
  readonly blocks: readonly Block[];
  readonly tools: readonly Tool[];
  readonly archiveIds: readonly string[];
}

/** The details of several agents in three queries, however many there are. Unknown agents have none of anything. */
export async function agentDetails(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, AgentDetails>> {
  const blocks = await blocksOfAgents(db, agentIds);
  const tools = await toolsOfAgents(db, agentIds);
  const archives = await archivesOfAgents(db, agentIds);
  return new Map(
    agentIds.map((agentId) => [
      agentId,
      {
        blocks: blocks.filter((entry) => entry.agentId === agentId).map((entry) => entry.block),
        tools: tools.filter((entry) => entry.agentId === agentId).map((entry) => entry.tool),
        archiveIds: archives.filter((entry) => entry.agent_id === agentId).map((entry) => entry.archive_id),
      },
    ]),
  );
}

async function archivesOfAgents(db: Db | Tx, agentIds: readonly string[]) {
  return db
    .selectFrom('agent_archives')
    .select(['agent_id', 'archive_id'])
    .where('agent_id', '=', sql<string>`any(${[...agentIds]})`)
    .orderBy('is_owner', 'desc')
    .orderBy('archive_id')
    .execute();
}
