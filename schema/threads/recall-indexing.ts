import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { spoken } from './recall.js';

/** An agent whose past messages need embeddings. */
export interface AgentToIndex {
  readonly agentId: string;
  /** Handle of its embedding model. */
  readonly embedding: string;
}

/** The most agents indexed in one go. */
const mostAgents = 20;

/** Requests embeddings of all messages that the agent's recall can find. Harmless when repeated. */
export async function requestIndexing(db: Db, agentId: string): Promise<void> {
  await sql`insert into recall_indexing (agent_id) values (${agentId}) on conflict do nothing`.execute(db);
}

/**
 * Requests embeddings of evicted messages, if the agent has searched its recall before. Agents that never search cost
 * no embeddings.
 */
export async function requestIndexingAfterEviction(tx: Tx, agentId: string): Promise<void> {
  await sql`
    insert into recall_indexing (agent_id)
    select ${agentId} where exists (
      select from messages where agent_id = ${agentId} and ${spoken} and embedding_model is not null)
    on conflict do nothing`.execute(tx);
}

/** Agents with a request, oldest first. */
export async function agentsToIndex(db: Db): Promise<readonly AgentToIndex[]> {
  const result = await sql<AgentToIndex>`
    select agents.id as "agentId", agents.embedding from recall_indexing join agents on agents.id = agent_id
    where agents.deleted_at is null order by asked_at, agents.id limit ${mostAgents}`.execute(db);
  return result.rows;
}

/** Ends a request, because all is done or nothing can be done. The next search makes a new one. */
export async function forgetIndexing(db: Db, agentId: string): Promise<void> {
  await sql`delete from recall_indexing where agent_id = ${agentId}`.execute(db);
}

/** Moves the request behind the others. */
export async function postponeIndexing(db: Db, agentId: string): Promise<void> {
  await sql`update recall_indexing set asked_at = now() where agent_id = ${agentId}`.execute(db);
}
