import type { Db, Tx } from './database.js';
import { AgentNotFoundError } from './errors.js';

/** A store of passages, with the model that embeds them. */
export interface Archive {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Handle of the embedding model. */
  readonly embedding: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** The agent's own archive: where what it stores goes. Throws AgentNotFoundError. */
export async function agentArchive(db: Db | Tx, agentId: string): Promise<Archive> {
  const row = await db
    .selectFrom('agent_archives')
    .innerJoin('archives', 'archives.id', 'agent_archives.archive_id')
    .innerJoin('agents', 'agents.id', 'agent_archives.agent_id')
    .selectAll('archives')
    .where('agent_archives.agent_id', '=', agentId)
    .where('agent_archives.is_owner', '=', true)
    .where('agents.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new AgentNotFoundError(agentId);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    embedding: row.embedding,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}
