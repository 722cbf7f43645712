import { sql } from 'kysely';
import type { TurnEvent } from '../../core/turns/events.js';
import type { Db, Tx } from '../db/database.js';
import type { Fence } from './fences.js';
import { hint } from '../db/hints.js';
import type { AttemptError, Step } from './records.js';
import { toJson } from '../db/storable.js';
import type { Thread } from '../threads/threads.js';
import { appendEvents, turnChannel } from './events.js';

/** An attempt of a step: `attempt` counts them, from 1. */
export type StepAttempt = Pick<Step, 'id' | 'turnId' | 'index' | 'attempt'>;

/**
 * Writes down an attempt of a step, with what the turn's log says of it: the step's row is made, or, where an earlier
 * attempt broke off, becomes this one. A step that was answered stays as it is. In a transaction that holds the fence.
 */
export async function openStep(tx: Tx, { step, thread, model, events, sent }: OpenedStep): Promise<void> {
  // One statement, because each costs a turn as much as the next.
  await sql`
    with counted as (
      update turns set steps = greatest(steps, ${step.index + 1}), event_seq = event_seq + ${events.length},
        touched_at = now()
      where id = ${step.turnId}
      returning event_seq
    ), opened as (
      insert into steps (id, turn_id, thread_id, agent_id, index, state, model, attempt, estimated_tokens, shortened)
      values (${step.id}, ${step.turnId}, ${thread.id}, ${thread.agentId}, ${step.index}, 'pending', ${model},
        ${step.attempt}, ${sent?.estimate ?? null}, ${sent?.shortened ?? false})
      on conflict (id) do update set attempt = excluded.attempt, model = excluded.model,
        estimated_tokens = excluded.estimated_tokens, shortened = excluded.shortened
      where steps.state = 'pending'
    )
    insert into turn_events (turn_id, seq, event)
    select ${step.turnId}, counted.event_seq - ${events.length} + entry.place, entry.event
    from counted, jsonb_array_elements(${toJson(events)}::jsonb) with ordinality as entry (event, place)`.execute(
    tx,
  );
  hint(tx, turnChannel, step.turnId);
}

interface OpenedStep {
  readonly step: StepAttempt;
  readonly thread: Thread;
  readonly model: string;
  readonly events: readonly TurnEvent[];
  /** What the attempt is going to send: how many tokens that was estimated at, and whether it is all of the context. */
  readonly sent?: { readonly estimate: number; readonly shortened: boolean };
}

/** Writes down why an attempt of a step failed: in the step, and in the turn's log for those who watch. */
export async function recordFailure(
  db: Db,
  fence: Fence,
  { stepId, error }: { readonly stepId: string; readonly error: AttemptError },
): Promise<void> {
  const { attempt, type: failure, message } = error;
  const event: TurnEvent = { kind: 'retrying', stepId, attempt, failure, message };
  if (!(await appendEvents(db, fence, error.retryable ? [event] : []))) return;
  await db
    .updateTable('steps')
    .set({ error: toJson(error) })
    .where('id', '=', stepId)
    .where('attempt', '=', error.attempt)
    .where('state', '=', 'pending')
    .execute();
}
