import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Agent, AgentType } from '../../core/agents/agents.js';
import type { Db, Tx } from '../db/database.js';
import { AgentNotFoundError } from './errors.js';
import { type IdentityOwnership, belongsToIdentity } from './identity-filter.js';
import { type Page, pagedBy } from '../db/paging.js';
import { containing, toJson } from '../db/storable.js';
import type { Tables } from '../db/tables.js';
import type { AgentsTable } from './tables.js';

export async function getAgent(db: Db | Tx, agentId: string): Promise<Agent | undefined> {
  const row = await agentRows(db).where('agents.id', '=', agentId).executeTakeFirst();
  return row === undefined ? undefined : toAgent(row);
}

/** Agents by their ids, without unknown ones. */
export async function getAgents(db: Db | Tx, agentIds: readonly string[]): Promise<readonly Agent[]> {
  const rows = await agentRows(db)
    .where('agents.id', '=', sql<string>`any(${[...agentIds]})`)
    .execute();
  return rows.map(toAgent);
}

/** Throws AgentNotFoundError. */
export async function requireAgent(db: Db | Tx, agentId: string): Promise<Agent> {
  const agent = await getAgent(db, agentId);
  if (agent === undefined) throw new AgentNotFoundError(agentId);
  return agent;
}

/** Filters for agents; absent: all that aren't deleted. */
export interface AgentFilter extends IdentityOwnership {
  readonly name?: string | undefined;
  /** A part of the name, case-insensitive. */
  readonly query?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Whether an agent needs all of the tags rather than any. */
  readonly matchAllTags?: boolean | undefined;
  readonly agentTypes?: readonly AgentType[] | undefined;
  /** Agents that have this block. */
  readonly blockId?: string | undefined;
  /** The stop reason of the agent's turn that ended last. */
  readonly lastStopReason?: string | undefined;
  /** Stored fields of the REST API that must have this value, such as the project. */
  readonly kept?: Readonly<Record<string, string>> | undefined;
  /** Whether hidden agents are included. Default true. */
  readonly showsHidden?: boolean | undefined;
}

/** Agents are sorted by creation, latest change, or the end of the latest finished turn. */
export type AgentOrder = 'created_at' | 'updated_at' | 'last_run_completion';

/** Agents in the chosen order, paged. Sorted by last run, agents without a finished turn count as the oldest. */
export async function listAgents(
  db: Db | Tx,
  filter: AgentFilter,
  page: Page,
  by: AgentOrder = 'created_at',
): Promise<readonly Agent[]> {
  const query = filtered(agentRows(db), filter);
  if (by !== 'last_run_completion') return (await pagedBy('agents', query, [by, 'id'], page)).map(toAgent);
  // The period is in an index, so the exact ends are only read of agents in the same periods as the page's.
  const joined = query.innerJoin('agent_ends', 'agent_ends.agent_id', 'agents.id');
  return (await pagedBy('agents', joined, [endPeriod, lastEnd, 'id'], page)).map(toAgent);
}

function endPeriod(alias: string): RawBuilder<Date> {
  return alias === 'agents'
    ? sql<Date>`agent_ends.period`
    : sql<Date>`(select period from agent_ends where agent_id = ${sql.ref(`${alias}.id`)})`;
}

function lastEnd(alias: string): RawBuilder<Date> {
  return sql<Date>`coalesce((select max(completed_at) from turns where turns.agent_id = ${sql.ref(`${alias}.id`)}),
    '-infinity')`;
}

export async function countAgents(db: Db | Tx, filter: AgentFilter = {}): Promise<number> {
  const row = await filtered(db.selectFrom('agents').where('agents.deleted_at', 'is', null), filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

function filtered<Row>(query: SelectQueryBuilder<Tables, 'agents', Row>, filter: AgentFilter): typeof query {
  const { name, query: part, tags, matchAllTags, agentTypes, blockId } = filter;
  let narrowed = query;
  if (name !== undefined) narrowed = narrowed.where('agents.name', '=', name);
  if (part !== undefined) narrowed = narrowed.where('agents.name', 'ilike', containing(part));
  if (agentTypes !== undefined) {
    narrowed = narrowed.where('agents.agent_type', '=', sql<string>`any(${[...agentTypes]})`);
  }
  if (tags !== undefined && tags.length > 0) {
    const wanted = [...new Set(tags)];
    narrowed = narrowed.where(
      sql<number>`(select count(*) from agent_tags where agent_id = agents.id and tag = any(${wanted}))`,
      '>=',
      matchAllTags === true ? wanted.length : 1,
    );
  }
  if (blockId !== undefined) {
    narrowed = narrowed.where(
      sql<boolean>`exists (select from agent_blocks where agent_id = agents.id and block_id = ${blockId})`,
    );
  }
  return filteredByState(narrowed, filter);
}

function filteredByState<Row>(
  query: SelectQueryBuilder<Tables, 'agents', Row>,
  { lastStopReason, kept, showsHidden, ...whose }: AgentFilter,
): typeof query {
  let narrowed = query;
  if (lastStopReason !== undefined) {
    // The comparison is inside: outside of it, PostgreSQL would expect few agents to match, and look at all of them.
    const isLast = sql<boolean>`(select stop_reason = ${lastStopReason} from turns where turns.agent_id = agents.id
      and completed_at is not null order by completed_at desc, id desc limit 1)`;
    narrowed = narrowed.where(isLast).where(mayHaveEndedBy(lastStopReason));
  }
  if (kept !== undefined) narrowed = narrowed.where(sql<boolean>`agents.extras @> ${toJson(kept)}::jsonb`);
  const isWanted = belongsToIdentity('agent', whose);
  if (isWanted !== undefined) narrowed = narrowed.where(isWanted);
  if (showsHidden === false) narrowed = narrowed.where(sql<boolean>`not agents.extras @> '{"hidden":true}'`);
  return narrowed;
}

/** Nearly all turns end in order: agents that had one suffice. Other ends are few, and in an index of their own. */
function mayHaveEndedBy(stopReason: string): RawBuilder<boolean> {
  return stopReason === 'end_turn'
    ? sql<boolean>`agents.id in (select agent_id from agent_ends where period > '-infinity')`
    : sql<boolean>`agents.id in (
        select agent_id from turns where stop_reason = ${stopReason} and stop_reason <> 'end_turn')`;
}

/** The condition that the agent exists and isn't deleted. The id is a value or a column. */
export function isAlive(agentId: string | RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from agents where agents.id = ${agentId} and agents.deleted_at is null)`;
}

function agentRows(db: Db | Tx) {
  return db
    .selectFrom('agents')
    .selectAll('agents')
    .select(
      sql<string[]>`array(select tag from agent_tags where agent_id = agents.id order by tag)`.as('tags'),
    )
    .where('agents.deleted_at', 'is', null);
}

/**
 * Marks an agent as deleted. Its rows stay until `purgeAgent`, so that what still runs for it ends in order. Throws
 * AgentNotFoundError.
 */
export async function deleteAgent(db: Db | Tx, agentId: string): Promise<void> {
  const row = await db
    .updateTable('agents')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', agentId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new AgentNotFoundError(agentId);
}

function toAgent(row: Selectable<AgentsTable> & { readonly tags: string[] }): Agent {
  return {
    id: row.id,
    name: row.name,
    agentType: row.agent_type as AgentType,
    system: row.system,
    description: row.description,
    metadata: row.metadata,
    model: row.model,
    embedding: row.embedding,
    contextWindow: row.context_window,
    modelSettings: row.model_settings,
    toolRules: row.tool_rules,
    tags: row.tags,
    timezone: row.timezone,
    extras: row.extras,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
