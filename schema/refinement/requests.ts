import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { RefinementCause } from '../../core/refinement/refinement.js';
import type { Db, Tx } from '../db/database.js';
import { RefinementRequestNotFoundError } from './errors.js';
import type { DocumentPart, RefinementRequestsTable } from './tables.js';
import { storableOrNull, toJson } from '../db/storable.js';

/** A request to refine memory. */
export interface RefinementRequest {
  readonly id: string;
  readonly groupId: string;
  readonly partnerId: string;
  readonly cause: RefinementCause;
  readonly instructions: string | null;
  /** Null: the transcript since the watermark. */
  readonly parts: readonly DocumentPart[] | null;
  readonly cycles: number;
  readonly partsDone: number;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly createdAt: Date;
}

/**
 * Stores a request. One whose id exists stays unchanged, and one for the transcript joins a waiting one. Starting the
 * partner's workflow afterwards only saves waiting for the sweep.
 */
export async function requestRefinement(
  db: Db | Tx,
  request: Pick<RefinementRequest, 'id' | 'groupId' | 'partnerId' | 'cause'> &
    Partial<Pick<RefinementRequest, 'instructions' | 'parts' | 'cycles'>>,
): Promise<void> {
  await db
    .insertInto('refinement_requests')
    .values({
      id: request.id,
      group_id: request.groupId,
      partner_id: request.partnerId,
      cause: request.cause,
      instructions: storableOrNull(request.instructions ?? null),
      parts: request.parts == null ? null : toJson(request.parts),
      cycles: request.cycles ?? 1,
      state: 'waiting',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Queries for the statement that ends a turn. Where `ended` holds and the turn had begun, they count it and request a
 * refinement if the group's frequency makes one due. A turn is thus counted once, with its end.
 */
export function countingTurn(turnId: string, ended: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`counted as (
      update groups g set turns_counter = turns_counter + 1
      from turns t
      where t.id = ${turnId} and ${ended} and t.started_at is not null and g.manager_agent_id = t.agent_id
        and g.manager_type in ('sleeptime', 'voice_sleeptime') and not g.paused
        -- A turn that only reports the end of a talk has no actions.
        and t.options->'chore' is null
        and exists (select from deliveries d where d.turn_id = t.id
          and d.kind in ('message', 'reply', 'approval', 'schedule'))
      returning g.id, g.turns_counter, (g.manager_config->>'frequency')::numeric as frequency
    ), asked as (
      insert into refinement_requests (id, group_id, partner_id, cause, state)
      select 'request-' || gen_random_uuid(), counted.id, members.agent_id, 'turns', 'waiting'
      from counted join group_agents members on members.group_id = counted.id
      where counted.frequency is null or counted.turns_counter % counted.frequency = 0
      on conflict do nothing
    )`;
}

/** Requests a refinement because messages leave the agent's context, if its group is set so. */
export async function requestAtEviction(tx: Tx, agentId: string): Promise<void> {
  await sql`
    insert into refinement_requests (id, group_id, partner_id, cause, state)
    select 'request-' || gen_random_uuid(), g.id, members.agent_id, 'eviction', 'waiting'
    from groups g join group_agents members on members.group_id = g.id
    where g.manager_agent_id = ${agentId} and g.manager_type in ('sleeptime', 'voice_sleeptime') and not g.paused
      and coalesce((g.manager_config->'refinement'->>'atEviction')::boolean, true)
    on conflict do nothing`.execute(tx);
}

/** The partner's oldest waiting request. */
export async function oldestRequest(tx: Tx, partnerId: string): Promise<RefinementRequest | undefined> {
  const row = await tx
    .selectFrom('refinement_requests')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('state', '=', 'waiting')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toRequest(row);
}

/** Throws RefinementRequestNotFoundError. */
export async function requireRequest(db: Db | Tx, requestId: string): Promise<RefinementRequest> {
  const row = await db
    .selectFrom('refinement_requests')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst();
  if (row === undefined) throw new RefinementRequestNotFoundError(requestId);
  return toRequest(row);
}

function toRequest(row: Selectable<RefinementRequestsTable>): RefinementRequest {
  return {
    id: row.id,
    groupId: row.group_id,
    partnerId: row.partner_id,
    cause: row.cause,
    instructions: row.instructions,
    parts: row.parts,
    cycles: row.cycles,
    partsDone: row.parts_done,
    state: row.state,
    createdAt: row.created_at,
  };
}

/** Records the outcome of a request, in the caller's transaction. */
export async function settleRequest(
  tx: Tx,
  requestId: string,
  change: { readonly state: RefinementRequest['state']; readonly partsDone?: number },
): Promise<void> {
  await tx
    .updateTable('refinement_requests')
    .set({
      state: change.state,
      ...(change.partsDone === undefined ? {} : { parts_done: change.partsDone }),
    })
    .where('id', '=', requestId)
    .execute();
}

/** How long the sweep leaves a running refinement to its own execution. */
const patienceMs = 60_000;

/** Partners that, according to the rows, have work that no execution does. */
export async function partnersToWake(db: Db | Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ partnerId: string }>`
    select partner_id as "partnerId" from (
      select r.partner_id from refinement_requests r
        where r.state = 'waiting' and not exists (
          select from refinements f where f.partner_id = r.partner_id and f.state = 'running')
      union
      select partner_id from refinements
        where state = 'running' and created_at < now() - ${patienceMs} * interval '1 millisecond'
    ) as idle
    where exists (select from agents a where a.id = idle.partner_id and a.deleted_at is null)
    order by random() limit 100`.execute(db);
  return rows.map((row) => row.partnerId);
}
