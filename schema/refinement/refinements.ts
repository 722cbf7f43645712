import { type Selectable, sql } from 'kysely';
import type { TurnError } from '../../core/turns/events.js';
import type { RefinementSettings } from '../../core/groups/groups.js';
import { derivedId } from '../../core/ids.js';
import type { RefinementCause, RefinementEnd, RefinementState } from '../../core/refinement/refinement.js';
import type { Db, Tx } from '../db/database.js';
import { RefinementNotFoundError } from './errors.js';
import { type Page, paged } from '../db/paging.js';
import type { RefinementsTable } from './tables.js';

/** One refinement: what it reads, up to where, within which limits, and its outcome. */
export interface Refinement {
  readonly id: string;
  readonly groupId: string;
  readonly partnerId: string;
  /** The agent whose memory it refines. */
  readonly agentId: string;
  readonly requestId: string;
  readonly cause: RefinementCause;
  readonly state: RefinementState;
  readonly endedBy: RefinementEnd | null;
  readonly error: TurnError | null;
  readonly settings: RefinementSettings;
  /** The number of the partner's turn, from 0. */
  readonly round: number;
  /** What it reads of the agent's threads; empty where it reads documents. */
  readonly ranges: readonly { readonly threadId: string; readonly from: number; readonly to: number }[];
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** The id of the partner's turn in a round of a refinement. */
export function roundTurnId(refinementId: string, round: number): string {
  return derivedId('run', refinementId, round);
}

export async function getRefinement(db: Db | Tx, id: string): Promise<Refinement | undefined> {
  const row = await refinementRows(db).where('refinements.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toRefinement(row);
}

/** Throws RefinementNotFoundError. */
export async function requireRefinement(db: Db | Tx, id: string): Promise<Refinement> {
  const refinement = await getRefinement(db, id);
  if (refinement === undefined) throw new RefinementNotFoundError(id);
  return refinement;
}

/** Locks the refinement's row until the transaction ends, for all who end it or change its round. */
export async function lockRefinement(tx: Tx, id: string): Promise<Refinement | undefined> {
  await sql`select id from refinements where id = ${id} for update`.execute(tx);
  return getRefinement(tx, id);
}

/** The partner's unfinished refinement. */
export async function runningRefinement(db: Db | Tx, partnerId: string): Promise<Refinement | undefined> {
  const row = await refinementRows(db)
    .where('refinements.partner_id', '=', partnerId)
    .where('refinements.state', '=', 'running')
    .executeTakeFirst();
  return row === undefined ? undefined : toRefinement(row);
}

/** Filters for refinements. */
export interface RefinementFilter {
  readonly groupId: string;
  readonly states?: readonly RefinementState[] | undefined;
  readonly requestId?: string | undefined;
}

/** Refinements by creation, paged. */
export async function listRefinements(
  db: Db | Tx,
  filter: RefinementFilter,
  page: Page,
): Promise<readonly Refinement[]> {
  let query = refinementRows(db).where('refinements.group_id', '=', filter.groupId);
  if (filter.states !== undefined) query = query.where('refinements.state', 'in', [...filter.states]);
  if (filter.requestId !== undefined) query = query.where('refinements.request_id', '=', filter.requestId);
  return (await paged('refinements', query, page)).map(toRefinement);
}

/** The number of the refinement's answered steps. */
export async function answeredSteps(
  db: Db | Tx,
  { id, round }: Pick<Refinement, 'id' | 'round'>,
): Promise<number> {
  const turnIds = Array.from({ length: round + 1 }, (_, index) => roundTurnId(id, index));
  const row = await db
    .selectFrom('steps')
    .select((eb) => eb.fn.count<number>('answered_at').as('steps'))
    .where('turn_id', 'in', turnIds)
    .executeTakeFirstOrThrow();
  return row.steps;
}

function refinementRows(db: Db | Tx) {
  return db
    .selectFrom('refinements')
    .selectAll('refinements')
    .select(
      sql<{ threadId: string; from: number; to: number }[]>`coalesce((
        select json_agg(json_build_object('threadId', thread_id, 'from', from_position, 'to', to_position)
          order by thread_id)
        from refinement_ranges where refinement_id = refinements.id), '[]')`.as('ranges'),
    );
}

type Row = Selectable<RefinementsTable> & {
  readonly ranges: { threadId: string; from: number; to: number }[];
};

function toRefinement(row: Row): Refinement {
  return {
    id: row.id,
    groupId: row.group_id,
    partnerId: row.partner_id,
    agentId: row.agent_id,
    requestId: row.request_id,
    cause: row.cause,
    state: row.state,
    endedBy: row.ended_by,
    error: row.error,
    settings: row.settings,
    round: row.round,
    ranges: row.ranges,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
