import { sql } from 'kysely';
import type { TurnEvent } from '../core/events.js';
import type { Message } from '../core/messages.js';
import type { FinishReason } from '../core/model.js';
import type { Usage } from '../core/usage.js';
import type { Tx } from './database.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import { hint } from './hints.js';
import { toJson } from './storable.js';
import { lockThread, type Thread } from './threads.js';
import { appendToTranscript } from './transcript.js';
import { turnChannel } from './turn-events.js';

/** A model's answer with everything that follows from it at once. */
export interface StepAnswer {
  readonly stepId: string;
  /** The attempt that got it. */
  readonly attempt: number;
  readonly message: Message;
  readonly effects: readonly Effect[];
  /** Results of calls that were refused without being run; their effects are `done`. */
  readonly refusals: readonly Message[];
  /** Calls that are run in the transaction that stores the answer; the others stay `planned`. */
  readonly runNow: readonly Effect[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly contextWindow: number;
  readonly epochId: string;
  /** Whether the answer's fragments are in the event log. */
  readonly streamed: boolean;
}

/** What a call that was run with its answer returned. */
export interface CallResult {
  readonly effectId: string;
  readonly message: Message;
  readonly status: 'success' | 'error';
}

/** Thrown where an answer comes after another attempt of its step was begun: only the newest one may store. */
export class SupersededAttemptError extends Error {
  override readonly name = 'SupersededAttemptError';
  readonly stepId: string;
  readonly attempt: number;

  constructor(stepId: string, attempt: number) {
    super(`Attempt ${attempt} of step ${stepId} was superseded.`);
    this.stepId = stepId;
    this.attempt = attempt;
  }
}

/**
 * Begins to store an answer under its step's id, in the caller's transaction: locks the thread, closes the step and
 * writes to the turn's log. Undefined, and nothing is written, where the turn is no longer this execution's. Throws
 * SupersededAttemptError, by which the caller rolls back.
 */
export async function beginAnswer(
  tx: Tx,
  fence: Fence,
  threadId: string,
  answer: StepAnswer,
): Promise<Thread | undefined> {
  const [thread, { isOurs, isNewest }] = await Promise.all([
    lockThread(tx, threadId),
    closeStep(tx, fence, answer),
  ]);
  if (thread === undefined || !isOurs) return undefined;
  if (!isNewest) throw new SupersededAttemptError(answer.stepId, answer.attempt);
  return thread;
}

async function closeStep(
  tx: Tx,
  fence: Fence,
  answer: StepAnswer,
): Promise<{ isOurs: boolean; isNewest: boolean }> {
  const events = eventsOf(answer);
  const { usage } = answer;
  // One statement, because each costs a turn as much as the next: the fence, the step and the log.
  const closed = await sql<{ isOurs: boolean; isNewest: boolean }>`
    with fenced as (
      update turns set event_seq = event_seq + ${events.length}, touched_at = now()
      where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
      returning event_seq
    ), answered as (
      update steps set state = 'answered', answer_message_id = ${answer.message.id},
        finish_reason = ${answer.finishReason}, prompt_tokens = ${usage.promptTokens},
        completion_tokens = ${usage.completionTokens}, total_tokens = ${usage.totalTokens},
        cached_tokens = ${usage.cachedTokens}, reasoning_tokens = ${usage.reasoningTokens},
        context_window = ${answer.contextWindow}, epoch_id = ${answer.epochId}, error = null, worker = null,
        answered_at = clock_timestamp()
      from fenced where steps.id = ${answer.stepId} and steps.state = 'pending' and steps.attempt = ${answer.attempt}
      returning steps.id
    ), logged as (
      insert into turn_events (turn_id, seq, event)
      select ${fence.turnId}, fenced.event_seq - ${events.length} + entry.place, entry.event
      from fenced, jsonb_array_elements(${toJson(events)}::jsonb) with ordinality as entry (event, place)
    )
    select exists (select from fenced) as "isOurs", exists (select from answered) as "isNewest"`.execute(tx);
  hint(tx, turnChannel, fence.turnId);
  return closed.rows[0] ?? { isOurs: false, isNewest: false };
}

function eventsOf({ message, refusals, runNow, streamed }: StepAnswer): TurnEvent[] {
  const results = [...refusals.map(({ id }) => id), ...runNow.map((effect) => effect.resultMessageId)];
  return [
    { kind: 'message', messageId: message.id, streamed },
    ...results.map((messageId): TurnEvent => ({ kind: 'message', messageId, streamed: false })),
  ];
}

/**
 * Stores the answer's message, its tool calls and what those of `runNow` returned, in the transaction of
 * `beginAnswer`.
 */
export async function finishAnswer(
  tx: Tx,
  thread: Thread,
  answer: StepAnswer,
  results: readonly CallResult[],
): Promise<void> {
  const messages = [answer.message, ...answer.refusals, ...results.map(({ message }) => message)];
  await Promise.all([appendToTranscript(tx, thread, messages), insertEffects(tx, answer.effects, results)]);
}

async function insertEffects(
  tx: Tx,
  effects: readonly Effect[],
  results: readonly CallResult[],
): Promise<void> {
  if (effects.length === 0) return;
  const rows = effects.map((effect) => {
    const result = results.find(({ effectId }) => effectId === effect.id);
    return {
      id: effect.id,
      turn_id: effect.turnId,
      step_id: effect.stepId,
      index: effect.index,
      tool_call_id: effect.call.id,
      tool_name: effect.call.name,
      arguments: toJson(effect.arguments),
      request_heartbeat: effect.requestHeartbeat,
      state: result === undefined ? effect.state : ('done' as const),
      status: result === undefined ? effect.status : result.status,
      refusal: effect.refusal,
      result_message_id: effect.resultMessageId,
      completed_at: result === undefined ? null : sql<Date>`clock_timestamp()`,
    };
  });
  await tx
    .insertInto('effects')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
