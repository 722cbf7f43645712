import { type Selectable, sql } from 'kysely';
import { type Group } from '../../core/groups/groups.js';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import { defaultTerminationToken, type TalkMessage, type TalkPlan } from '../../core/groups/talks.js';
import { type Db, inTransaction, type Tx, waitingAt } from '../db/database.js';
import { EmptyGroupError, TalkNotFoundError } from './errors.js';
import { requireGroup } from './groups.js';
import { isRepeated, type RepeatableRequest } from '../turns/repeated-requests.js';
import type { TurnOptions } from '../turns/records.js';
import { toJson } from '../db/storable.js';
import type { TalksTable } from './tables.js';
import { lockThreads } from '../threads/threads.js';

/** All that one message to a group causes: turns of its agents, one after another. */
export interface Talk {
  readonly id: string;
  readonly groupId: string;
  readonly state: TurnState;
  readonly plan: TalkPlan;
  /** Options of its turns. */
  readonly options: TurnOptions;
  readonly stopReason: StopReason | null;
}

/** A talk to store. */
export interface NewTalk extends RepeatableRequest {
  readonly id: string;
  readonly groupId: string;
  readonly messages: readonly TalkMessage[];
  readonly options: TurnOptions;
}

/**
 * Stores a talk durably. A repeated request (same key, or same hash within `joinWithinMs`) returns the earlier talk.
 * Throws GroupNotFoundError and EmptyGroupError.
 */
export async function enqueueTalk(
  db: Db | Tx,
  input: NewTalk,
): Promise<{ readonly talk: Talk; readonly repeated: boolean }> {
  return inTransaction(waitingAt(db, input.groupId), async (tx) => {
    await lockTalks(tx, input.groupId);
    const earlier = await findEarlier(tx, input);
    if (earlier !== undefined) return { talk: earlier, repeated: true };
    const plan = await planOf(tx, await requireGroup(tx, input.groupId));
    const row = await tx
      .insertInto('talks')
      .values({
        id: input.id,
        group_id: input.groupId,
        plan: toJson(plan),
        messages: toJson(input.messages),
        options: toJson(input.options),
        request_key: input.requestKey,
        request_hash: input.requestHash,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { talk: toTalk(row), repeated: false };
  });
}

/** An arbitrary number, different from the other advisory locks' first keys. The second key is the group. */
const talkLock = 7_260_116;

/**
 * Locks the group's talks until the transaction ends, for all who add or advance them. Taken before any row. The
 * group's own row is not used: the end of a turn may lock it after a thread.
 */
async function lockTalks(tx: Tx, groupId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${talkLock}, hashtext(${groupId}))`.execute(tx);
}

/**
 * Locks the group's talks, and the threads of all agents in unfinished ones, in a common order: groups may share
 * agents.
 */
export async function lockTalksAndThreads(tx: Tx, groupId: string): Promise<void> {
  await lockTalks(tx, groupId);
  const open = await tx
    .selectFrom('talks')
    .select('plan')
    .where('group_id', '=', groupId)
    .where('completed_at', 'is', null)
    .execute();
  await lockThreads(
    tx,
    open.flatMap(({ plan }) => agentsOf(plan)),
  );
}

/** All agents of a talk. */
export function agentsOf({ participants, managerAgentId }: TalkPlan): string[] {
  return [
    ...new Set([
      ...participants.map(({ agentId }) => agentId),
      ...(managerAgentId === null ? [] : [managerAgentId]),
    ]),
  ];
}

async function findEarlier(tx: Tx, input: NewTalk): Promise<Talk | undefined> {
  const condition = isRepeated(input);
  if (condition === undefined) return undefined;
  const row = await tx
    .selectFrom('talks')
    .selectAll()
    .where('group_id', '=', input.groupId)
    .where(condition)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toTalk(row);
}

async function planOf(tx: Tx, group: Group): Promise<TalkPlan> {
  const { agentIds, managerConfig, managerType, managerAgentId, description } = group;
  const rows = await tx
    .selectFrom('agents')
    .select(['id as agentId', 'name', 'description'])
    .where('id', '=', sql<string>`any(${[...agentIds]})`)
    .execute();
  const participants = agentIds.flatMap((id) => rows.filter(({ agentId }) => agentId === id));
  const needsSpeakers = managerType === 'round_robin' || managerType === 'dynamic';
  if (participants.length === 0 && needsSpeakers) throw new EmptyGroupError(group.id);
  return {
    managerType,
    managerAgentId,
    participants,
    description,
    maxTurns: managerConfig.maxTurns ?? participants.length,
    terminationToken: managerConfig.terminationToken ?? defaultTerminationToken,
  };
}

/** Throws TalkNotFoundError. */
export async function requireTalk(db: Db | Tx, talkId: string): Promise<Talk> {
  const row = await db.selectFrom('talks').selectAll().where('id', '=', talkId).executeTakeFirst();
  if (row === undefined) throw new TalkNotFoundError(talkId);
  return toTalk(row);
}

function toTalk(row: Selectable<TalksTable>): Talk {
  return {
    id: row.id,
    groupId: row.group_id,
    state: row.state,
    plan: row.plan,
    options: row.options,
    stopReason: row.stop_reason,
  };
}
