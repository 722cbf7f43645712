import { type RawBuilder, sql } from 'kysely';
import type { LoggedEvent, TurnEvent } from '../../core/turns/events.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { type Fence, holdFence } from './fences.js';
import { hint } from '../db/hints.js';
import { toJson } from '../db/storable.js';

/** The channel that announces new events of a turn. The payload is the turn's id. */
export const turnChannel = 'perdure_turn';

/** Follows the turn's id in the payload of the last event. */
export const endedMark = ' ended';

/**
 * Appends events to a running turn's log and notifies listeners. Also the fence: writes nothing and returns false
 * unless the turn is `running` under this execution. The turn's row stays locked until the transaction ends, so
 * readers see numbers without gaps.
 * `beside`: another write, made in the same statement whether the turn runs or not.
 */
export async function appendEvents(
  db: Db | Tx,
  turn: Fence,
  events: readonly TurnEvent[],
  beside: RawBuilder<unknown> = sql`select`,
): Promise<boolean> {
  if (events.length === 0) return (await holdFence(db, turn)) !== undefined;
  const result = await sql<{ seq: number }>`
    with fenced as (
      update turns set event_seq = event_seq + ${events.length}, touched_at = now()
      where id = ${turn.turnId} and state = 'running' and execution_id = ${turn.executionId}
      returning event_seq
    ), beside as (${beside})
    insert into turn_events (turn_id, seq, event)
    select ${turn.turnId}, fenced.event_seq - ${events.length} + entry.place, entry.event
    from fenced, jsonb_array_elements(${toJson(events)}::jsonb) with ordinality as entry (event, place)
    returning seq`.execute(db);
  if (result.rows.length === 0) return false;
  hint(db, turnChannel, turn.turnId);
  return true;
}

/** Fragments of an attempt's answer. */
export interface Fragments {
  readonly stepId: string;
  readonly attempt: number;
  readonly events: readonly TurnEvent[];
}

/**
 * Appends fragments of an answer as `appendEvents` does, if their attempt is the step's newest; else returns false. A
 * paused attempt must not garble the stream of the one that replaced it.
 */
export async function appendFragments(db: Db, turn: Fence, fragments: Fragments): Promise<boolean> {
  const { stepId, attempt, events } = fragments;
  return inTransaction(db, async (tx) => {
    // While the fence is held, no other attempt can begin, so the second statement sees the newest one.
    const [held, newest] = await Promise.all([
      holdFence(tx, turn),
      sql`select from steps where id = ${stepId} and attempt = ${attempt} and state = 'pending'`.execute(tx),
    ]);
    if (held === undefined || newest.rows.length === 0) return false;
    return appendEvents(tx, turn, events);
  });
}

/** Bytes of events, as stored, that are read at once, so that a slow reader of a long stream holds little memory. */
const pageBytes = 65_536;

/**
 * The turn's events after number `after`, in order: at most `limit` and one page, but at least one if there is any.
 */
export async function readEvents(
  db: Db,
  turnId: string,
  after: number,
  limit = 100,
): Promise<readonly LoggedEvent[]> {
  const { rows } = await sql<{ seq: number; event: TurnEvent }>`
    select seq, event from (
      select seq, event, sum(pg_column_size(event)) over (order by seq) - pg_column_size(event) as before
      from turn_events where turn_id = ${turnId} and seq > ${after} order by seq limit ${limit}
    ) as page where before < ${pageBytes} order by seq`.execute(db);
  return rows.map(({ seq, event }) => ({ turnId, seq, event }));
}

/** Fragments deleted per statement. */
const pruned = 5_000;

/**
 * Deletes the fragments of turns that ended before `before`, in batches, until stopped. Messages and the log's last
 * event stay. Returns the number deleted.
 */
export async function pruneEvents(db: Db, before: Date, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ;) {
    const result = await sql`
      delete from turn_events where (turn_id, seq) in (
        select turn_events.turn_id, turn_events.seq
        from turn_events join turns on turns.id = turn_events.turn_id
        where turns.completed_at < ${before} and turn_events.event->>'kind' = 'delta'
          and turn_events.created_at < ${before}
        limit ${pruned})`.execute(db);
    const deleted = Number(result.numAffectedRows ?? 0n);
    total += deleted;
    if (deleted < pruned || signal?.aborted === true) return total;
  }
}

/** Whether some of the turn's events were pruned, which shows as gaps in the numbers. */
export async function hasPrunedEvents(db: Db, turnId: string): Promise<boolean> {
  const { rows } = await sql<{ pruned: boolean }>`
    select event_seq > (select count(*) from turn_events where turn_id = turns.id) as pruned
    from turns where id = ${turnId}`.execute(db);
  return rows[0]?.pruned ?? false;
}
