import { sql } from 'kysely';
import type { TurnError } from '../core/events.js';
import type { Message } from '../core/messages.js';
import { finalState, type StopReason } from '../core/stop-reasons.js';
import { type Db, inTransaction, type Tx } from './database.js';
import type { Effect } from './records.js';
import { toJson } from './storable.js';
import { toEffect } from './steps.js';
import { lockThread, type Thread } from './threads.js';
import { appendToTranscript } from './transcript.js';
import { appendFinalEvent } from './turn-events.js';
import { requireTurn, turnUsage } from './turns.js';

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
 * one end with it. Does nothing to a turn that has ended. Returns whether it ended the turn.
 */
export async function settleTurn(db: Db | Tx, settlement: Settlement): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const turn = await requireTurn(tx, settlement.turnId);
    const thread = await lockThread(tx, turn.threadId);
    const ended = await end(tx, settlement);
    if (!ended) return false;
    if (thread !== undefined) await closeToolCalls(tx, thread, settlement);
    await tx
      .updateTable('steps')
      .set({ state: settlement.stopReason === 'cancelled' ? 'cancelled' : 'failed' })
      .where('turn_id', '=', settlement.turnId)
      .where('state', '=', 'pending')
      .execute();
    await tx
      .updateTable('deliveries')
      .set({ state: 'done' })
      .where('turn_id', '=', settlement.turnId)
      .execute();
    await sayEnded(tx, settlement);
    await endAbsorbed(tx, settlement);
    return true;
  });
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

async function closeToolCalls(tx: Tx, thread: Thread, settlement: Settlement): Promise<void> {
  const rows = await tx
    .selectFrom('effects')
    .selectAll()
    .where('turn_id', '=', settlement.turnId)
    .where('state', '<>', 'done')
    .orderBy('step_id')
    .orderBy('index')
    .execute();
  if (rows.length === 0) return;
  const open = rows.map(toEffect);
  await appendToTranscript(
    tx,
    thread,
    open.map((effect) => interruptedResult(effect, thread, settlement.stopReason)),
  );
  await tx
    .updateTable('effects')
    .set((eb) => ({ state: 'done', status: 'error', completed_at: eb.fn<Date>('clock_timestamp') }))
    .where(
      'id',
      'in',
      open.map((effect) => effect.id),
    )
    .execute();
}

function interruptedResult(effect: Effect, thread: Thread, reason: StopReason): Message {
  const how = reason === 'cancelled' ? 'The turn was cancelled' : 'The turn ended';
  const content =
    effect.state === 'started'
      ? `${how} while this tool was running: whether it took effect is unknown.`
      : `${how} before this tool was run.`;
  return {
    id: effect.resultMessageId,
    agentId: thread.agentId,
    threadId: thread.id,
    turnId: effect.turnId,
    stepId: effect.stepId,
    position: null,
    createdAt: new Date(),
    otid: null,
    senderId: null,
    body: {
      kind: 'tool',
      toolCallId: effect.call.id,
      toolName: effect.call.name,
      status: 'error',
      content,
    },
  };
}

async function sayEnded(tx: Tx, settlement: Settlement): Promise<void> {
  const steps = await tx
    .selectFrom('steps')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('turn_id', '=', settlement.turnId)
    .where('state', '=', 'answered')
    .executeTakeFirstOrThrow();
  await appendFinalEvent(tx, settlement.turnId, {
    kind: 'ended',
    stopReason: settlement.stopReason,
    usage: await turnUsage(tx, settlement.turnId),
    steps: steps.count,
    ...(settlement.error === undefined ? {} : { error: settlement.error }),
  });
}

async function endAbsorbed(tx: Tx, settlement: Settlement): Promise<void> {
  const absorbed = await sql<{ id: string }>`
    select id from turns where absorbed_by = ${settlement.turnId} and state in ('created', 'running')`.execute(
    tx,
  );
  for (const { id } of absorbed.rows) {
    await settleTurn(tx, { turnId: id, stopReason: settlement.stopReason, error: settlement.error });
  }
}
