import { type Selectable, sql } from 'kysely';
import type { TurnError, TurnEvent } from '../core/events.js';
import type { Db, Tx } from './database.js';
import type { Fence } from './fences.js';
import type { Step } from './records.js';
import { toJson } from './storable.js';
import { toStep } from './steps.js';
import type { StepsTable } from './turn-tables.js';
import type { Thread } from './threads.js';
import { appendEvents } from './turn-events.js';

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
