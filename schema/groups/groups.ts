import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Group, ManagerConfig, ManagerType } from '../../core/groups/groups.js';
import { requireAgent } from '../agents/agents.js';
import { requireBlock } from '../blocks/blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { GroupNotFoundError, SleepTimeTakenError } from './errors.js';
import type { GroupsTable } from './tables.js';
import { type Page, paged } from '../db/paging.js';
import { storable, toJson } from '../db/storable.js';

/** A group to create. */
export interface NewGroup {
  /** Absent: random. */
  readonly id?: string | undefined;
  readonly managerType: ManagerType;
  readonly managerAgentId?: string | null | undefined;
  readonly agentIds: readonly string[];
  readonly description: string;
  readonly managerConfig?: ManagerConfig | undefined;
  readonly sharedBlockIds?: readonly string[] | undefined;
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes of a group; absent fields stay, lists are replaced, `managerConfig` is merged. */
export interface GroupPatch {
  readonly managerAgentId?: string | null | undefined;
  readonly agentIds?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly managerConfig?: ManagerConfig | undefined;
  readonly sharedBlockIds?: readonly string[] | undefined;
  readonly paused?: boolean | undefined;
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Creates a group, completely or not at all. Throws AgentNotFoundError, BlockNotFoundError, and SleepTimeTakenError
 * where another group refines the manager's memory.
 */
export async function createGroup(db: Db | Tx, input: NewGroup): Promise<Group> {
  const id = input.id ?? `group-${randomUUID()}`;
  return inTransaction(db, async (tx) => {
    const managerAgentId = input.managerAgentId ?? null;
    if (managerAgentId !== null) await requireAgent(tx, managerAgentId);
    const row = await tx
      .insertInto('groups')
      .values({
        id,
        manager_type: input.managerType,
        manager_agent_id: managerAgentId,
        description: storable(input.description),
        manager_config: toJson(input.managerConfig ?? {}),
        extras: toJson(input.extras ?? {}),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) throw new SleepTimeTakenError(managerAgentId ?? id);
    await replaceAgents(tx, id, input.agentIds);
    await replaceBlocks(tx, id, input.sharedBlockIds ?? []);
    return requireGroup(tx, id);
  });
}

/** Changes a group. Throws GroupNotFoundError, AgentNotFoundError and BlockNotFoundError. */
export async function updateGroup(db: Db | Tx, groupId: string, patch: GroupPatch): Promise<Group> {
  const { managerAgentId, agentIds, description, managerConfig, sharedBlockIds, paused, extras } = patch;
  return inTransaction(db, async (tx) => {
    if (managerAgentId != null) await requireAgent(tx, managerAgentId);
    const row = await tx
      .updateTable('groups')
      .set({
        updated_at: sql<Date>`clock_timestamp()`,
        ...(managerAgentId !== undefined && { manager_agent_id: managerAgentId }),
        ...(description !== undefined && { description: storable(description) }),
        ...(managerConfig !== undefined && { manager_config: mergedConfig(managerConfig) }),
        ...(paused !== undefined && { paused }),
        ...(extras !== undefined && { extras: sql<string>`extras || ${toJson(extras)}::jsonb` }),
      })
      .where('id', '=', groupId)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) throw new GroupNotFoundError(groupId);
    if (agentIds !== undefined) await replaceAgents(tx, groupId, agentIds);
    if (sharedBlockIds !== undefined) await replaceBlocks(tx, groupId, sharedBlockIds);
    return requireGroup(tx, groupId);
  });
}

// The settings of refinements are a nested object, which is merged too.
function mergedConfig({ refinement, ...config }: ManagerConfig) {
  const bounds = toJson(refinement ?? {});
  return sql<string>`manager_config || ${toJson(config)}::jsonb
    || jsonb_build_object('refinement', coalesce(manager_config->'refinement', '{}') || ${bounds}::jsonb)`;
}

async function replaceAgents(tx: Tx, groupId: string, agentIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(agentIds)];
  for (const agentId of wanted) await requireAgent(tx, agentId);
  await tx.deleteFrom('group_agents').where('group_id', '=', groupId).execute();
  if (wanted.length === 0) return;
  const rows = wanted.map((agentId, position) => ({ group_id: groupId, agent_id: agentId, position }));
  await tx.insertInto('group_agents').values(rows).execute();
}

async function replaceBlocks(tx: Tx, groupId: string, blockIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(blockIds)];
  for (const blockId of wanted) await requireBlock(tx, blockId);
  await tx.deleteFrom('group_blocks').where('group_id', '=', groupId).execute();
  if (wanted.length === 0) return;
  await tx
    .insertInto('group_blocks')
    .values(wanted.map((blockId) => ({ group_id: groupId, block_id: blockId })))
    .execute();
}

/** Throws GroupNotFoundError. */
export async function requireGroup(db: Db | Tx, groupId: string): Promise<Group> {
  const row = await groupRows(db).where('groups.id', '=', groupId).executeTakeFirst();
  if (row === undefined) throw new GroupNotFoundError(groupId);
  return toGroup(row);
}

/** Filters for groups; absent: all. */
export interface GroupFilter {
  readonly managerTypes?: readonly ManagerType[] | undefined;
  /** Groups that one of these agents manages. */
  readonly managerAgentIds?: readonly string[] | undefined;
  /** Groups that this agent is a member or manager of. */
  readonly agentId?: string | undefined;
}

/** Groups by creation, paged. */
export async function listGroups(db: Db | Tx, filter: GroupFilter, page: Page): Promise<readonly Group[]> {
  const { managerTypes, managerAgentIds, agentId } = filter;
  let query = groupRows(db);
  if (managerTypes !== undefined) query = query.where('groups.manager_type', 'in', [...managerTypes]);
  if (managerAgentIds !== undefined) {
    query = query.where('groups.manager_agent_id', '=', sql<string>`any(${[...managerAgentIds]})`);
  }
  if (agentId !== undefined) {
    query = query.where(
      sql<boolean>`(groups.manager_agent_id = ${agentId} or exists (
        select from group_agents ga where ga.group_id = groups.id and ga.agent_id = ${agentId}))`,
    );
  }
  return (await paged('groups', query, page)).map(toGroup);
}

export async function countGroups(db: Db | Tx): Promise<number> {
  const query = db.selectFrom('groups').select((eb) => eb.fn.countAll<number>().as('count'));
  return (await query.executeTakeFirstOrThrow()).count;
}

/** Deletes a group, but not its agents. Throws GroupNotFoundError. */
export async function deleteGroup(db: Db | Tx, groupId: string): Promise<void> {
  const row = await db.deleteFrom('groups').where('id', '=', groupId).returning('id').executeTakeFirst();
  if (row === undefined) throw new GroupNotFoundError(groupId);
}

/** The group whose partners refine the agent's memory. */
export async function sleepTimeGroup(db: Db | Tx, agentId: string): Promise<Group | undefined> {
  const filter = { managerAgentIds: [agentId], managerTypes: ['sleeptime', 'voice_sleeptime'] as const };
  return (await listGroups(db, filter, { limit: 1 }))[0];
}

/** The group in which the agent refines another agent's memory. */
export async function sleepTimeGroupOf(db: Db | Tx, partnerId: string): Promise<Group | undefined> {
  const groups = await listGroups(
    db,
    { agentId: partnerId, managerTypes: ['sleeptime', 'voice_sleeptime'] },
    {},
  );
  return groups.find((group) => group.managerAgentId !== partnerId);
}

function groupRows(db: Db | Tx) {
  return db
    .selectFrom('groups')
    .selectAll('groups')
    .select([
      sql<string[]>`array(
        select ga.agent_id from group_agents ga join agents a on a.id = ga.agent_id
        where ga.group_id = groups.id and a.deleted_at is null order by ga.position)`.as('agent_ids'),
      sql<string[]>`array(
        select block_id from group_blocks where group_id = groups.id order by block_id)`.as('block_ids'),
      sql<string | null>`(
        select m.id from watermarks w join messages m on m.thread_id = w.thread_id and m.position <= w.position
        where w.thread_id = groups.manager_agent_id and w.partner_id in (
          select agent_id from group_agents where group_id = groups.id)
        order by m.position desc limit 1)`.as('last_message_id'),
    ])
    .where(
      sql<boolean>`not exists (
        select from agents where agents.id = groups.manager_agent_id and agents.deleted_at is not null)`,
    );
}

type GroupRow = Selectable<GroupsTable> & {
  readonly agent_ids: string[];
  readonly block_ids: string[];
  readonly last_message_id: string | null;
};

function toGroup(row: GroupRow): Group {
  return {
    id: row.id,
    managerType: row.manager_type,
    managerAgentId: row.manager_agent_id,
    agentIds: row.agent_ids,
    description: row.description,
    managerConfig: row.manager_config,
    sharedBlockIds: row.block_ids,
    turnsCounter: row.turns_counter,
    lastProcessedMessageId: row.last_message_id,
    paused: row.paused,
    extras: row.extras,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
