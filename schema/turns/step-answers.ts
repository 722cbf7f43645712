import { sql } from 'kysely';
import type { TurnEvent } from '../../core/turns/events.js';
import type { Message } from '../../core/threads/messages.js';
import type { FinishReason } from '../../core/models/model.js';
import type { Usage } from '../../core/models/usage.js';
import type { Tx } from '../db/database.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import { hint } from '../db/hints.js';
import { toJson } from '../db/storable.js';
import { lockThread, type Thread } from '../threads/threads.js';
import { appendToTranscript } from '../threads/transcript.js';
import { turnChannel } from './events.js';

/** A model's answer, with all that is stored with it. */
export interface StepAnswer {
  readonly stepId: string;
  /** The attempt that received it. */
  readonly attempt: number;
  readonly message: Message;
  readonly effects: readonly Effect[];
  /** Results of calls that were refused without running. Their effects are `done`. */
  readonly refusals: readonly Message[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly contextWindow: number;
  readonly epochId: string;
  /** Whether the answer's fragments are in the event log. */
  readonly streamed: boolean;
  /** When its first fragment arrived, by `performance.now()` of this process. */
  readonly firstTokenAt: number | null;
}

/** Whether an answer may be stored. */
export type BegunAnswer =
  | { readonly kind: 'begun'; readonly thread: Thread }
  /** The step has an answer, or a newer attempt of it has begun. Only the newest may store one. */
  | { readonly kind: 'superseded' }
  /** The turn no longer belongs to this execution. */
  | { readonly kind: 'fenced' };

/**
 * Begins to store an answer under its step's id, in the caller's transaction: locks the thread, closes the step and
 * writes to the turn's log. Writes nothing unless it returns `begun`.
 */
export async function beginAnswer(
  tx: Tx,
  fence: Fence,
  threadId: string,
  answer: StepAnswer,
): Promise<BegunAnswer> {
  const [thread, { isOurs, isNewest }] = await Promise.all([
    lockThread(tx, threadId),
    closeStep(tx, fence, answer),
  ]);
  if (thread === undefined || !isOurs) return { kind: 'fenced' };
  return isNewest ? { kind: 'begun', thread } : { kind: 'superseded' };
}

async function closeStep(
  tx: Tx,
  fence: Fence,
  answer: StepAnswer,
): Promise<{ isOurs: boolean; isNewest: boolean }> {
  const events = eventsOf(answer);
  const { usage, firstTokenAt } = answer;
  // Workers' clocks differ, so an elapsed time is sent rather than a point in time.
  const firstTokenAgo = firstTokenAt === null ? null : performance.now() - firstTokenAt;
  // A single statement for the fence, the step and the log, because each statement takes as long as this one.
  const closed = await sql<{ isOurs: boolean; isNewest: boolean }>`
    with fenced as (
      select id from turns
      where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
      for no key update
    ), answered as (
      update steps set state = 'answered', answer_message_id = ${answer.message.id},
        finish_reason = ${answer.finishReason}, prompt_tokens = ${usage.promptTokens},
        completion_tokens = ${usage.completionTokens}, total_tokens = ${usage.totalTokens},
        cached_tokens = ${usage.cachedTokens}, reasoning_tokens = ${usage.reasoningTokens},
        context_window = ${answer.contextWindow}, epoch_id = ${answer.epochId}, error = null,
        answered_at = clock_timestamp()
      from fenced where steps.id = ${answer.stepId} and steps.state = 'pending' and steps.attempt = ${answer.attempt}
      returning steps.id
    ), counted as (
      update turns set event_seq = event_seq + ${events.length}, touched_at = now(),
        first_token_ms = coalesce(first_token_ms,
          greatest(0, least(extract(epoch from clock_timestamp() - created_at) * 1000 - ${firstTokenAgo}::float8, 2147483647)))
      from answered where turns.id = ${fence.turnId}
      returning event_seq
    ), logged as (
      insert into turn_events (turn_id, seq, event)
      select ${fence.turnId}, counted.event_seq - ${events.length} + entry.place, entry.event
      from counted, jsonb_array_elements(${toJson(events)}::jsonb) with ordinality as entry (event, place)
    )
    select exists (select from fenced) as "isOurs", exists (select from answered) as "isNewest"`.execute(tx);
  hint(tx, turnChannel, fence.turnId);
  return closed.rows[0] ?? { isOurs: false, isNewest: false };
}

function eventsOf({ message, refusals, streamed }: StepAnswer): TurnEvent[] {
  return [
    { kind: 'message', messageId: message.id, streamed },
    ...refusals.map(({ id }): TurnEvent => ({ kind: 'message', messageId: id, streamed: false })),
  ];
}

/** Stores the answer's message and its tool calls, in the transaction of `beginAnswer`. */
export async function finishAnswer(tx: Tx, thread: Thread, answer: StepAnswer): Promise<void> {
  const messages = [answer.message, ...answer.refusals];
  await Promise.all([appendToTranscript(tx, thread, messages), insertEffects(tx, answer.effects)]);
}

async function insertEffects(tx: Tx, effects: readonly Effect[]): Promise<void> {
  if (effects.length === 0) return;
  const rows = effects.map((effect) => ({
    id: effect.id,
    turn_id: effect.turnId,
    step_id: effect.stepId,
    index: effect.index,
    tool_call_id: effect.call.id,
    tool_name: effect.call.name,
    arguments: toJson(effect.arguments),
    request_heartbeat: effect.requestHeartbeat,
    state: effect.state,
    status: effect.status,
    refusal: effect.refusal,
    result_message_id: effect.resultMessageId,
  }));
  await tx
    .insertInto('effects')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
