import { type Selectable, sql } from 'kysely';
import type { TurnError, TurnEvent } from '../core/events.js';
import type { Message } from '../core/messages.js';
import type { FinishReason } from '../core/model.js';
import type { Usage } from '../core/usage.js';
import type { Db, Tx } from './database.js';
import type { Effect, Step } from './records.js';
import { toJson } from './storable.js';
import { toStep } from './steps.js';
import type { StepsTable } from './tables.js';
import { lockThread, type Thread } from './threads.js';
import { appendToTranscript } from './transcript.js';
import { appendEvents } from './turn-events.js';

/** The turn and the execution that writes for it: what every write of an activity is fenced by. */
export interface Fence {
  readonly turnId: string;
  readonly executionId: string;
}

/**
 * The step's row as a new attempt finds it: made, or, where an earlier attempt broke off, with `attempt` one
 * higher. A step that was answered comes back as it is.
 */
export async function openStep(
  tx: Tx,
  input: {
    readonly stepId: string;
    readonly index: number;
    readonly thread: Thread;
    readonly turnId: string;
    readonly model: string;
  },
): Promise<Step> {
  const opened = await sql<Selectable<StepsTable>>`
    with counted as (
      update turns set steps = greatest(steps, ${input.index + 1}) where id = ${input.turnId}
    )
    insert into steps (id, turn_id, thread_id, agent_id, index, state, model)
    values (${input.stepId}, ${input.turnId}, ${input.thread.id}, ${input.thread.agentId}, ${input.index},
      'pending', ${input.model})
    on conflict (id) do update set
      attempt = steps.attempt + case when steps.state = 'pending' then 1 else 0 end,
      model = case when steps.state = 'pending' then excluded.model else steps.model end
    returning *`.execute(tx);
  const [row] = opened.rows;
  if (row === undefined) throw new Error(`Step ${input.stepId} was neither made nor found.`);
  return toStep(row);
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

/** A model's answer with everything that follows from it at once. */
export interface StepAnswer {
  readonly stepId: string;
  /** The attempt that got it. */
  readonly attempt: number;
  readonly message: Message;
  readonly effects: readonly Effect[];
  /** Results of calls that were refused without being run; their effects are `done`. */
  readonly refusals: readonly Message[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly contextWindow: number;
  readonly epochId: string;
  /** Whether the answer's fragments are in the event log. */
  readonly streamed: boolean;
}

/**
 * Stores an answer, its message and its tool calls under the step's id, in the caller's transaction, and locks the
 * thread. Returns false, and writes nothing, where the turn is no longer this execution's.
 */
export async function storeAnswer(
  tx: Tx,
  fence: Fence,
  threadId: string,
  answer: StepAnswer,
): Promise<boolean> {
  const events: TurnEvent[] = [
    { kind: 'message', messageId: answer.message.id, streamed: answer.streamed },
    ...answer.refusals.map((message) => ({
      kind: 'message' as const,
      messageId: message.id,
      streamed: false,
    })),
  ];
  const [thread, isOurs] = await Promise.all([lockThread(tx, threadId), appendEvents(tx, fence, events)]);
  if (thread === undefined || !isOurs) return false;
  // Another attempt of the step has begun, or has answered: the throw rolls back what was written above.
  if (!(await closeStep(tx, answer))) throw new SupersededAttemptError(answer.stepId, answer.attempt);
  await Promise.all([
    appendToTranscript(tx, thread, [answer.message, ...answer.refusals]),
    insertEffects(tx, answer.effects),
  ]);
  return true;
}

async function closeStep(tx: Tx, answer: StepAnswer): Promise<boolean> {
  const row = await tx
    .updateTable('steps')
    .set((eb) => ({
      state: 'answered',
      answer_message_id: answer.message.id,
      finish_reason: answer.finishReason,
      prompt_tokens: answer.usage.promptTokens,
      completion_tokens: answer.usage.completionTokens,
      total_tokens: answer.usage.totalTokens,
      cached_tokens: answer.usage.cachedTokens,
      reasoning_tokens: answer.usage.reasoningTokens,
      context_window: answer.contextWindow,
      epoch_id: answer.epochId,
      error: null,
      answered_at: eb.fn<Date>('clock_timestamp'),
    }))
    .where('id', '=', answer.stepId)
    .where('state', '=', 'pending')
    .where('attempt', '=', answer.attempt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

async function insertEffects(tx: Tx, effects: readonly Effect[]): Promise<void> {
  if (effects.length === 0) return;
  await tx
    .insertInto('effects')
    .values(
      effects.map((effect) => ({
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
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Writes down why an attempt of a step failed: in the step, and in the turn's log for those who watch. */
export async function recordFailure(
  db: Db,
  fence: Fence,
  failure: {
    readonly stepId: string;
    readonly attempt: number;
    readonly error: TurnError;
    readonly final: boolean;
  },
): Promise<void> {
  const { stepId, attempt, error } = failure;
  const event: TurnEvent = { kind: 'retrying', stepId, attempt, failure: error.type, message: error.message };
  if (!(await appendEvents(db, fence, failure.final ? [] : [event]))) return;
  await db
    .updateTable('steps')
    .set({ error: toJson(error) })
    .where('id', '=', stepId)
    .where('state', '=', 'pending')
    .execute();
}
