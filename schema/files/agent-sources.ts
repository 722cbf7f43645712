import { sql } from 'kysely';
import { defaultTools } from '../../core/tools/tools.js';
import { fileToolNames } from '../../core/tools/files.js';
import { attachTools, listAgentTools, resolveTools } from '../tools/agent-tools.js';
import { requireAgent } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { type Page, paged } from '../db/paging.js';
import { requireSource, type Source, toSource } from './sources.js';

/** The sources of several agents in one query, each agent's in the order of attachment. */
export async function sourcesOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<readonly { readonly agentId: string; readonly source: Source }[]> {
  const rows = await db
    .selectFrom('agent_sources')
    .innerJoin('sources', 'sources.id', 'agent_sources.source_id')
    .selectAll('sources')
    .select('agent_sources.agent_id')
    .where('agent_sources.agent_id', '=', sql<string>`any(${[...agentIds]})`)
    .orderBy('agent_sources.agent_id')
    .orderBy('agent_sources.created_at')
    .orderBy('sources.id')
    .execute();
  return rows.map((row) => ({ agentId: row.agent_id, source: toSource(row) }));
}

/** The agent's sources by creation, paged. Throws AgentNotFoundError. */
export async function listAgentSources(db: Db | Tx, agentId: string, page: Page): Promise<readonly Source[]> {
  await requireAgent(db, agentId);
  const query = db
    .selectFrom('sources')
    .selectAll('sources')
    .where(
      sql<boolean>`exists (select from agent_sources where agent_id = ${agentId} and source_id = sources.id)`,
    );
  return (await paged('sources', query, page)).map(toSource);
}

/** Ids of the agents that have a source, by creation, paged. */
export async function listAgentIdsOfSource(
  db: Db | Tx,
  sourceId: string,
  page: Page,
): Promise<readonly string[]> {
  const query = db
    .selectFrom('agents')
    .select('agents.id')
    .where('agents.deleted_at', 'is', null)
    .where(
      sql<boolean>`exists (select from agent_sources where agent_id = agents.id and source_id = ${sourceId})`,
    );
  return (await paged('agents', query, page)).map((row) => row.id);
}

/** Handles of the models that embedded the agent's sources, without repetitions. */
export async function sourceEmbeddings(db: Db | Tx, agentId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agent_sources')
    .innerJoin('sources', 'sources.id', 'agent_sources.source_id')
    .select('sources.embedding')
    .distinct()
    .where('agent_sources.agent_id', '=', agentId)
    .orderBy('sources.embedding')
    .execute();
  return rows.map((row) => row.embedding);
}

/** Replaces an agent's sources. Throws AgentNotFoundError and SourceNotFoundError. */
export async function replaceSources(tx: Tx, agentId: string, sourceIds: readonly string[]): Promise<void> {
  for (const { source } of await sourcesOfAgents(tx, [agentId])) {
    if (!sourceIds.includes(source.id)) await detachSource(tx, agentId, source.id);
  }
  for (const sourceId of sourceIds) await attachSource(tx, agentId, sourceId);
}

/**
 * Attaches a source to an agent. With the first one, the agent gets the tools for files. Harmless where it has the
 * source. Throws AgentNotFoundError and SourceNotFoundError.
 */
export async function attachSource(db: Db | Tx, agentId: string, sourceId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { agentType } = await requireAgent(tx, agentId);
    await requireSource(tx, sourceId);
    await attachTools(tx, agentId, await missingTools(tx, agentId, fileToolNames(agentType)));
    await tx
      .insertInto('agent_sources')
      .values({ agent_id: agentId, source_id: sourceId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Detaches a source from an agent, with the open files of it. Harmless where the agent doesn't have it. */
export async function detachSource(db: Db | Tx, agentId: string, sourceId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx
      .deleteFrom('agent_sources')
      .where('agent_id', '=', agentId)
      .where('source_id', '=', sourceId)
      .execute();
    await sql`
      delete from agent_files using files
      where files.id = agent_files.file_id and files.source_id = ${sourceId}
        and agent_files.agent_id = ${agentId}`.execute(tx);
    await dropFileTools(tx, agentId);
  });
}

/** Without a source, file tools have no use. An agent whose type includes them keeps them. */
async function dropFileTools(tx: Tx, agentId: string): Promise<void> {
  const byType = defaultTools('memgpt_v2_agent', { includeBaseTools: true });
  await sql`
    delete from agent_tools using tools
    where tools.id = agent_tools.tool_id and agent_tools.agent_id = ${agentId}
      and tools.tool_type = 'letta_files_core' and tools.name <> all(${byType}::text[])
      and not exists (select from agent_sources where agent_id = ${agentId})`.execute(tx);
}

/** Those of these tools that the agent lacks and that no tool of a user replaces. */
async function missingTools(tx: Tx, agentId: string, names: readonly string[]): Promise<readonly string[]> {
  const had = new Set((await listAgentTools(tx, agentId)).map(({ name }) => name));
  return resolveTools(tx, { names: names.filter((name) => !had.has(name)) });
}
