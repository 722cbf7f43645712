import { type RawBuilder, sql } from 'kysely';
import type { TurnError } from '../core/events.js';
import type { Message } from '../core/messages.js';
import { finalState, type StopReason } from '../core/stop-reasons.js';
import type { Usage } from '../core/usage.js';
import { type Db, inTransaction, type Tx } from './database.js';
import type { Effect } from './records.js';
import { countTurn } from './refinement-requests.js';
import { toJson } from './storable.js';
import { toEffect } from './steps.js';
import { lockThread, type Thread } from './threads.js';
import { toolResultMessage } from './tool-results.js';
import { appendToTranscript } from './transcript.js';
import { appendFinalEvent } from './turn-events.js';
import { turnTotals } from './turns.js';

/** How a turn ends. */
export interface Settlement {
  readonly turnId: string;
  readonly stopReason: StopReason;
  readonly error?: TurnError | undefined;
  /** Where given, the turn is only ended if it runs under this execution. */
  readonly executionId?: string;
}

/**
 * Ends a turn that waits or runs, once: its state, its delivery, the last event of its log, and a result for every
 * tool call that has none, so that a provider accepts the transcript. Turns whose message was absorbed by this
 * one end with it; agents that wait for it have their answer, and it waits for none. Does nothing to a turn that has ended. Returns whether it ended the turn.
 */
export async function settleTurn(db: Db | Tx, settlement: Settlement): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Run in this order: the thread is locked before the turn, and read is what the turn's end left.
    const [thread, ended, open, absorbed, totals] = await Promise.all([
      lockThread(tx, threadOf(settlement.turnId)),
      end(tx, settlement),
      openEffects(tx, settlement.turnId),
      absorbedTurns(tx, settlement.turnId),
      turnTotals(tx, settlement.turnId),
    ]);
    if (!ended) return false;
    await Promise.all([
      ...(thread === undefined ? [] : [closeToolCalls(tx, thread, open, settlement)]),
      closeSteps(tx, settlement),
      closeEdges(tx, settlement),
      tx.updateTable('deliveries').set({ state: 'done' }).where('turn_id', '=', settlement.turnId).execute(),
      sayEnded(tx, settlement, totals),
      countTurn(tx, settlement.turnId),
    ]);
    for (const turnId of absorbed) {
      await settleTurn(tx, { turnId, stopReason: settlement.stopReason, error: settlement.error });
    }
    return true;
  });
}

function threadOf(turnId: string): RawBuilder<string> {
  return sql<string>`(select thread_id from turns where id = ${turnId})`;
}

async function end(tx: Tx, settlement: Settlement): Promise<boolean> {
  let update = tx
    .updateTable('turns')
    .set((eb) => ({
      state: finalState(settlement.stopReason),
      stop_reason: settlement.stopReason,
      error: settlement.error === undefined ? null : toJson(settlement.error),
      completed_at: eb.fn<Date>('clock_timestamp'),
    }))
    .where('id', '=', settlement.turnId)
    .where('state', 'in', ['created', 'running']);
  if (settlement.executionId !== undefined)
    update = update.where('execution_id', '=', settlement.executionId);
  const row = await update.returning('id').executeTakeFirst();
  return row !== undefined;
}

async function openEffects(tx: Tx, turnId: string): Promise<readonly Effect[]> {
  const rows = await tx
    .selectFrom('effects')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('state', '<>', 'done')
    .orderBy('step_id')
    .orderBy('index')
    .execute();
  return rows.map(toEffect);
}

async function closeToolCalls(
  tx: Tx,
  thread: Thread,
  open: readonly Effect[],
  { turnId, stopReason }: Settlement,
): Promise<void> {
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
      .where('state', '<>', 'done')
      .execute(),
  ]);
}

async function closeEdges(tx: Tx, { turnId, stopReason }: Settlement): Promise<void> {
  await sql`
    update edges set
      state = case when to_turn = ${turnId} then 'answered' else 'dropped' end,
      stop_reason = case when to_turn = ${turnId} then ${stopReason} end,
      answered_at = case when to_turn = ${turnId} then clock_timestamp() end
    where state = 'waiting' and (to_turn = ${turnId} or from_turn = ${turnId})`.execute(tx);
}

async function closeSteps(tx: Tx, { turnId, stopReason }: Settlement): Promise<void> {
  await tx
    .updateTable('steps')
    .set({ state: stopReason === 'cancelled' ? 'cancelled' : 'failed' })
    .where('turn_id', '=', turnId)
    .where('state', '=', 'pending')
    .execute();
}

function interruptedResult(effect: Effect, thread: Thread, reason: StopReason): Message {
  const how = reason === 'cancelled' ? 'The turn was cancelled' : 'The turn ended';
  const content =
    effect.state === 'started'
      ? `${how} while this tool was running: whether it took effect is unknown.`
      : `${how} before this tool was run.`;
  return toolResultMessage(thread, effect, { status: 'error', content });
}

async function sayEnded(
  tx: Tx,
  settlement: Settlement,
  { usage, steps }: { usage: Usage; steps: number },
): Promise<void> {
  await appendFinalEvent(tx, settlement.turnId, {
    kind: 'ended',
    stopReason: settlement.stopReason,
    usage,
    steps,
    ...(settlement.error === undefined ? {} : { error: settlement.error }),
  });
}

async function absorbedTurns(tx: Tx, turnId: string): Promise<readonly string[]> {
  const absorbed = await sql<{ id: string }>`
    select id from turns where absorbed_by = ${turnId} and state in ('created', 'running')`.execute(tx);
  return absorbed.rows.map(({ id }) => id);
}
