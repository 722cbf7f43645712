import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { spoken } from './recall.js';

/** An agent whose past messages are to get their embeddings. */
export interface AgentToIndex {
  readonly agentId: string;
  /** Handle of its embedding model. */
  readonly embedding: string;
}

/** Agents that are taken up in one go. */
const mostAgents = 20;

/** Asks for embeddings of all that an agent's recall finds. Harmless when repeated. */
export async function askForIndexing(db: Db, agentId: string): Promise<void> {
  await sql`insert into recall_indexing (agent_id) values (${agentId}) on conflict do nothing`.execute(db);
}

/**
 * Asks for those of what leaves the context of an agent whose recall was searched before: the next search has them. Agents
 * that never search cost no embedding.
 */
export async function askAfterEviction(tx: Tx, agentId: string): Promise<void> {
  await sql`
    insert into recall_indexing (agent_id)
    select ${agentId} where exists (
      select from messages where agent_id = ${agentId} and ${spoken} and embedding_model is not null)
    on conflict do nothing`.execute(tx);
}

/** Agents that asked, the first of them first. */
export async function agentsToIndex(db: Db): Promise<readonly AgentToIndex[]> {
  const result = await sql<AgentToIndex>`
    select agents.id as "agentId", agents.embedding from recall_indexing join agents on agents.id = agent_id
    where agents.deleted_at is null order by asked_at, agents.id limit ${mostAgents}`.execute(db);
  return result.rows;
}

/** Nothing is left to do for an agent, or nothing can be done: its next search asks again. */
export async function forgetIndexing(db: Db, agentId: string): Promise<void> {
  await sql`delete from recall_indexing where agent_id = ${agentId}`.execute(db);
}

/** Lets the others go first. */
export async function postponeIndexing(db: Db, agentId: string): Promise<void> {
  await sql`update recall_indexing set asked_at = now() where agent_id = ${agentId}`.execute(db);
}
