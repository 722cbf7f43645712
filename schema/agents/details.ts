import { sql } from 'kysely';
import type { Block } from '../../core/blocks/blocks.js';
import type { Identity } from '../../core/identities/identities.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import { blocksOfAgents } from '../blocks/agent-blocks.js';
import { identitiesOfAgents } from '../identities/agent-identities.js';
import { sourcesOfAgents } from '../files/agent-sources.js';
import { toolsOfAgents } from '../tools/agent-tools.js';
import type { Db, Tx } from '../db/database.js';
import type { Source } from '../files/sources.js';
import type { Tool } from '../tools/tools.js';

/** What belongs to an agent and is stored in rows of its own. */
export interface AgentDetails {
  readonly blocks: readonly Block[];
  readonly tools: readonly Tool[];
  readonly sources: readonly Source[];
  readonly archiveIds: readonly string[];
  /** The identities that it belongs to. */
  readonly identities: readonly Identity[];
  /** Null: no turn has ended yet. */
  readonly lastTurn: LastTurn | null;
}

/** How the turn of an agent that ended last did. */
export interface LastTurn {
  readonly stopReason: StopReason | null;
  readonly startedAt: Date;
  readonly completedAt: Date;
}

/** The details of several agents, in a fixed number of queries. Unknown agents have empty ones. */
export async function agentDetails(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, AgentDetails>> {
  const blocks = await blocksOfAgents(db, agentIds);
  const tools = await toolsOfAgents(db, agentIds);
  const sources = await sourcesOfAgents(db, agentIds);
  const archives = await archivesOfAgents(db, agentIds);
  const identities = await identitiesOfAgents(db, agentIds);
  const lastTurns = await lastTurnsOfAgents(db, agentIds);
  return new Map(
    agentIds.map((agentId) => [
      agentId,
      {
        blocks: blocks.filter((entry) => entry.agentId === agentId).map((entry) => entry.block),
        tools: tools.filter((entry) => entry.agentId === agentId).map((entry) => entry.tool),
        sources: sources.filter((entry) => entry.agentId === agentId).map((entry) => entry.source),
        archiveIds: archives.filter((entry) => entry.agent_id === agentId).map((entry) => entry.archive_id),
        identities: identities.filter((entry) => entry.agentId === agentId).map((entry) => entry.identity),
        lastTurn: lastTurns.get(agentId) ?? null,
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

async function lastTurnsOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, LastTurn>> {
  // Looks each agent up in an index; a single grouped query would read all turns.
  const { rows } = await sql<LastTurn & { agentId: string }>`
    select wanted.id as "agentId", last.stop_reason as "stopReason",
      coalesce(last.started_at, last.created_at) as "startedAt", last.completed_at as "completedAt"
    from unnest(${[...agentIds]}::text[]) as wanted (id) cross join lateral (
      select * from turns where turns.agent_id = wanted.id and completed_at is not null
      order by completed_at desc, id desc limit 1
    ) as last`.execute(db);
  return new Map(rows.map(({ agentId, ...turn }) => [agentId, turn]));
}
