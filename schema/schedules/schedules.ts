import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ScheduledMessage, Timing } from '../../core/schedules/schedules.js';
import { requireAgent } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { ScheduleNotFoundError } from './errors.js';
import { type Page, paged } from '../db/paging.js';
import type { TurnOptions } from '../turns/records.js';
import type { SchedulesTable } from './tables.js';
import { storableOrNull, toJson } from '../db/storable.js';

/** A schedule: what to do, and when. */
export interface Schedule {
  readonly id: string;
  readonly kind: 'message' | 'refinement';
  /** The agent that gets the message, or whose memory is refined. */
  readonly agentId: string;
  /** For refinements: the group and the partner. */
  readonly groupId: string | null;
  readonly partnerId: string | null;
  readonly timing: Timing;
  readonly messages: readonly ScheduledMessage[];
  readonly options: TurnOptions;
  readonly paused: boolean;
  readonly note: string | null;
  readonly deleted: boolean;
  /** Increases with each change of the schedule. */
  readonly version: number;
  /** When it last fired. */
  readonly firedAt: Date | null;
  readonly createdAt: Date;
}

/** A schedule to create. */
export type NewSchedule = Pick<Schedule, 'kind' | 'agentId' | 'timing'> &
  Partial<Pick<Schedule, 'groupId' | 'partnerId' | 'messages' | 'options' | 'paused' | 'note'>>;

/** Stores a schedule. It takes effect once Temporal follows it. Throws AgentNotFoundError. */
export async function insertSchedule(db: Db | Tx, input: NewSchedule): Promise<Schedule> {
  return inTransaction(db, async (tx) => {
    await requireAgent(tx, input.agentId);
    const row = await tx
      .insertInto('schedules')
      .values({
        id: `schedule-${randomUUID()}`,
        kind: input.kind,
        agent_id: input.agentId,
        group_id: input.groupId ?? null,
        partner_id: input.partnerId ?? null,
        timing: toJson(input.timing),
        messages: toJson(input.messages ?? []),
        options: toJson(input.options ?? {}),
        paused: input.paused ?? false,
        note: storableOrNull(input.note ?? null),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toSchedule(row);
  });
}

/** Changes of a schedule; absent fields stay. */
export type SchedulePatch = Partial<Pick<Schedule, 'timing' | 'paused' | 'note' | 'deleted'>>;

/** Changes a schedule's row, which Temporal's schedule then follows. Throws ScheduleNotFoundError. */
export async function updateSchedule(db: Db | Tx, id: string, patch: SchedulePatch): Promise<Schedule> {
  const { timing, paused, note, deleted } = patch;
  const row = await db
    .updateTable('schedules')
    .set({
      synced: false,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`clock_timestamp()`,
      ...(timing !== undefined && { timing: toJson(timing) }),
      ...(paused !== undefined && { paused }),
      ...(note !== undefined && { note: storableOrNull(note) }),
      ...(deleted !== undefined && { deleted }),
    })
    .where('id', '=', id)
    .where('deleted', '=', false)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new ScheduleNotFoundError(id);
  return toSchedule(row);
}

/** A schedule that isn't deleted. Throws ScheduleNotFoundError. */
export async function requireSchedule(db: Db | Tx, id: string): Promise<Schedule> {
  const row = await db
    .selectFrom('schedules')
    .selectAll()
    .where('id', '=', id)
    .where('deleted', '=', false)
    .executeTakeFirst();
  if (row === undefined) throw new ScheduleNotFoundError(id);
  return toSchedule(row);
}

/** Filters for schedules. */
export type ScheduleFilter =
  | { readonly kind: 'message'; readonly agentId: string }
  | { readonly kind: 'refinement'; readonly groupId: string };

/** Schedules by creation, paged. */
export async function listSchedules(
  db: Db | Tx,
  filter: ScheduleFilter,
  page: Page,
): Promise<readonly Schedule[]> {
  let query = db
    .selectFrom('schedules')
    .selectAll()
    .where('deleted', '=', false)
    .where('kind', '=', filter.kind);
  query =
    filter.kind === 'message'
      ? query.where('agent_id', '=', filter.agentId)
      : query.where('group_id', '=', filter.groupId);
  return (await paged('schedules', query, page)).map(toSchedule);
}

/** How long one-time schedules are kept after their time. */
const keptAfter = '7 days';

/**
 * Marks schedules as deleted that are no longer needed: those of deleted agents and groups, and old one-time ones.
 */
export async function retireSchedules(db: Db | Tx): Promise<void> {
  await sql`
    update schedules set deleted = true, synced = false, version = version + 1, updated_at = clock_timestamp()
    where not deleted and (
      not exists (select from agents a where a.id = schedules.agent_id and a.deleted_at is null)
      or (group_id is not null and not exists (select from groups g where g.id = schedules.group_id))
      or (timing->>'kind' = 'once' and (timing->>'at')::timestamptz < now() - ${keptAfter}::interval))`.execute(
    db,
  );
}

/** Schedules whose change Temporal has not received for `patienceMs`. */
export async function unsyncedSchedules(db: Db | Tx, patienceMs: number): Promise<readonly Schedule[]> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('synced', '=', false)
    .where('updated_at', '<', sql<Date>`now() - ${patienceMs} * interval '1 millisecond'`)
    .orderBy('updated_at')
    .limit(100)
    .execute();
  return rows.map(toSchedule);
}

/**
 * Records that Temporal follows this version. A row that was changed since stays unsynced; a deleted one is removed.
 */
export async function markSynced(db: Db | Tx, { id, version, deleted }: Schedule): Promise<void> {
  if (deleted) {
    await db.deleteFrom('schedules').where('id', '=', id).execute();
    return;
  }
  await db
    .updateTable('schedules')
    .set({ synced: true })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();
}

/** Records that the schedule fired. */
export async function markFired(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('schedules')
    .set({ fired_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

function toSchedule(row: Selectable<SchedulesTable>): Schedule {
  return {
    id: row.id,
    kind: row.kind,
    agentId: row.agent_id,
    groupId: row.group_id,
    partnerId: row.partner_id,
    timing: row.timing,
    messages: row.messages,
    options: row.options,
    paused: row.paused,
    note: row.note,
    deleted: row.deleted,
    version: row.version,
    firedAt: row.fired_at,
    createdAt: row.created_at,
  };
}
