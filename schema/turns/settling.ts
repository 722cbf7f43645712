import { type RawBuilder, sql } from 'kysely';
import type { TurnError } from '../../core/turns/events.js';
import type { Message } from '../../core/threads/messages.js';
import { finalState, type StopReason } from '../../core/turns/stop-reasons.js';
import { keepAwaiting } from './awaiting.js';
import { type Db, inTransaction, type Tx, waitingAt } from '../db/database.js';
import { hint } from '../db/hints.js';
import { countingTurn } from '../refinement/requests.js';
import type { Effect, EffectState } from './records.js';
import { toJson } from '../db/storable.js';
import { toEffect } from './steps.js';
import { lockThread, type Thread } from '../threads/threads.js';
import { toolResultMessage } from './tool-results.js';
import { appendToTranscript } from '../threads/transcript.js';
import { endedMark, turnChannel } from './events.js';

/** The end of a turn. */
export interface Settlement {
  readonly turnId: string;
  readonly stopReason: StopReason;
  readonly error?: TurnError | undefined;
  /** If given, the turn only ends if it runs under this execution. */
  readonly executionId?: string;
}

/**
 * Ends a waiting or running turn, once: its state, its delivery, the last event of its log, and a result for every
 * open tool call, so that providers accept the transcript. Turns that it absorbed end with it. Agents that wait for
 * it get their answer, and it stops waiting for others. Does nothing to a turn that has ended. Returns whether it
 * ended the turn.
 */
export async function settleTurn(db: Db | Tx, settlement: Settlement): Promise<boolean> {
  return inTransaction(waitingAt(db, settlement.turnId), async (tx) => {
    // Run in this order: the thread is locked before the turn.
    const [thread, ended] = await Promise.all([
      lockThread(tx, threadOf(settlement.turnId)),
      end(tx, settlement),
    ]);
    if (ended === undefined) return false;
    const { openCalls, absorbed } = ended;
    if (thread !== undefined && openCalls > 0) await closeToolCalls(tx, thread, settlement);
    if (settlement.stopReason === 'requires_approval' || thread?.awaitingStep != null) {
      await keepAwaiting(tx, threadOf(settlement.turnId), settlement.turnId);
    }
    for (const turnId of absorbed) {
      await settleTurn(tx, { turnId, stopReason: settlement.stopReason, error: settlement.error });
    }
    return true;
  });
}

function threadOf(turnId: string): RawBuilder<string> {
  return sql<string>`(select thread_id from turns where id = ${turnId})`;
}

/** What the end of a turn affects. */
interface EndedTurn {
  readonly openCalls: number;
  /** Turns that it absorbed, which end with it. */
  readonly absorbed: readonly string[];
}

/**
 * Writes the end: the turn, its delivery, its open steps, the edges from and to it, the group's count, the last
 * event. Undefined where the turn had already ended.
 */
async function end(
  tx: Tx,
  { turnId, stopReason, error, executionId }: Settlement,
): Promise<EndedTurn | undefined> {
  const told = { kind: 'ended', stopReason, ...(error === undefined ? {} : { error }) };
  // A single statement, because each statement takes as long as this one. All of it depends on `ended`.
  const result = await sql<EndedTurn>`
    with ended as (
      update turns set state = ${finalState(stopReason)}, stop_reason = ${stopReason},
        error = ${error === undefined ? null : toJson(error)}::jsonb, completed_at = clock_timestamp(),
        event_seq = event_seq + 1, touched_at = now()
      where id = ${turnId} and state in ('created', 'running')
        and execution_id is not distinct from coalesce(${executionId ?? null}, execution_id)
      returning event_seq, agent_id, completed_at
    ), dated as (
      -- Mostly nothing: a row changes with an agent's first end in a period.
      update agent_ends set period = end_period(ended.completed_at) from ended
      where agent_ends.agent_id = ended.agent_id and agent_ends.period < end_period(ended.completed_at)
    ), delivered as (
      update deliveries set state = 'done' from ended where turn_id = ${turnId}
    ), broken_off as (
      update steps set state = ${stopReason === 'cancelled' ? 'cancelled' : 'failed'} from ended
      where turn_id = ${turnId} and steps.state = 'pending'
    ), answering as (
      update edges set
        state = case when to_turn = ${turnId} then 'answered' else 'dropped' end,
        stop_reason = case when to_turn = ${turnId} then ${stopReason} end,
        answered_at = case when to_turn = ${turnId} then clock_timestamp() end
      from ended where edges.state = 'waiting' and (to_turn = ${turnId} or from_turn = ${turnId})
    ), ${countingTurn(turnId, sql`exists (select from ended)`)}, totals as (
      select jsonb_build_object('steps', count(answered_at), 'usage', jsonb_build_object(
        'promptTokens', coalesce(sum(prompt_tokens), 0), 'completionTokens', coalesce(sum(completion_tokens), 0),
        'totalTokens', coalesce(sum(total_tokens), 0), 'cachedTokens', coalesce(sum(cached_tokens), 0),
        'reasoningTokens', coalesce(sum(reasoning_tokens), 0))) as event
      from steps where turn_id = ${turnId}
    ), logged as (
      insert into turn_events (turn_id, seq, event)
      select ${turnId}, ended.event_seq, ${toJson(told)}::jsonb || totals.event from ended, totals
    )
    select (select count(*) from effects where turn_id = ${turnId} and state <> 'done') as "openCalls",
      array(select id from turns where absorbed_by = ${turnId} and state in ('created', 'running')) as absorbed
    from ended`.execute(tx);
  if (result.rows.length > 0) hint(tx, turnChannel, turnId + endedMark, true);
  return result.rows[0];
}

/** Calls without a result, except those that wait for an approval if that is why the turn ends. */
async function openEffects(tx: Tx, { turnId, stopReason }: Settlement): Promise<readonly Effect[]> {
  const rows = await tx
    .selectFrom('effects')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('state', 'in', openStates(stopReason))
    .orderBy('step_id')
    .orderBy('index')
    .execute();
  return rows.map(toEffect);
}

function openStates(reason: StopReason): EffectState[] {
  return reason === 'requires_approval' ? ['planned', 'started'] : ['planned', 'started', 'awaiting', 'held'];
}

async function closeToolCalls(tx: Tx, thread: Thread, { turnId, stopReason }: Settlement): Promise<void> {
  const open = await openEffects(tx, { turnId, stopReason });
  if (open.length === 0) return;
  await Promise.all([
    appendToTranscript(
      tx,
      thread,
      open.map((effect) => interruptedResult(effect, thread, stopReason)),
    ),
    tx
      .updateTable('effects')
      .set((eb) => ({ state: 'done', status: 'error', completed_at: eb.fn<Date>('clock_timestamp') }))
      .where('turn_id', '=', turnId)
      .where('state', 'in', openStates(stopReason))
      .execute(),
  ]);
}

function interruptedResult(effect: Effect, thread: Thread, reason: StopReason): Message {
  const how = reason === 'cancelled' ? 'The turn was cancelled' : 'The turn ended';
  const content =
    effect.state === 'started'
      ? `${how} while this tool was running: whether it took effect is unknown.`
      : `${how} before this tool was run.`;
  return toolResultMessage(thread, effect, { status: 'error', content });
}
