import { sql } from 'kysely';
import type { TurnEvent } from '../../core/turns/events.js';
import type { Db, Tx } from '../db/database.js';
import type { Fence } from './fences.js';
import { hint } from '../db/hints.js';
import type { AttemptError, Step } from './records.js';
import { toJson } from '../db/storable.js';
import type { Thread } from '../threads/threads.js';
import { appendEvents, turnChannel } from './events.js';

/** An attempt of a step. Attempts are numbered from 1. */
export type StepAttempt = Pick<Step, 'id' | 'turnId' | 'index' | 'attempt'>;

/**
 * Records an attempt of a step, with its events in the turn's log: creates the step's row, or reuses it where an
 * earlier attempt broke off. An answered step stays unchanged. The caller's transaction holds the fence.
 */
export async function openStep(tx: Tx, { step, thread, model, events, sent }: OpenedStep): Promise<void> {
  // A single statement, because each statement takes as long as this one.
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
  /** What the attempt sends: its estimated tokens, and whether the context was shortened. */
  readonly sent?: { readonly estimate: number; readonly shortened: boolean };
}

/** Records why an attempt of a step failed, in the step and in the turn's log. */
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
