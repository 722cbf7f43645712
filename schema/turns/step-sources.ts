import { sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import type { ToolSchema } from '../../core/models/model.js';
import type { Db } from '../db/database.js';
import { loadRange } from '../threads/messages.js';
import type { Step } from './records.js';

/** The prompt's prefix and the tools of a step, as its epoch stored them. */
export interface StoredPrompt {
  readonly prefix: string;
  readonly tools: readonly ToolSchema[];
}

/** What a step's request was made of, as far as rows still hold it. */
export interface StepSources {
  readonly epochId: string | null;
  /** When the epoch began, in the database's format. */
  readonly epochBegan: string;
  /** Undefined where the epoch's row is gone: it is kept for a day after a newer one began. */
  readonly prompt: StoredPrompt | undefined;
  /** The message queue as the step found it. */
  readonly queue: readonly Message[];
  /** The summary's block at that time. */
  readonly summaryBlockId: string | null;
  /** Whether the transcript was shortened to fit, which the rows don't show. */
  readonly isShortened: boolean;
  /** Whether the agent was changed since the step. */
  readonly agentHasChanged: boolean;
}

interface SourcesRow extends Omit<StepSources, 'prompt' | 'queue'> {
  readonly prefix: string | null;
  readonly tools: readonly ToolSchema[] | null;
  readonly from: number;
  readonly to: number;
}

/** Finds what a step's request was made of. */
export async function findStepSources(db: Db, step: Step): Promise<StepSources> {
  // An answer is placed right behind the messages that it answers. A step without one has all of its turn's.
  const { rows } = await sql<SourcesRow>`
    with step as (
      select steps.id, steps.thread_id, steps.turn_id, steps.agent_id, steps.shortened, steps.created_at,
        coalesce(steps.epoch_id, case when steps.state = 'pending' then threads.epoch_id end) as epoch_id,
        answer.position as answered_at, answer.placed_at
      from steps join threads on threads.id = steps.thread_id
      left join messages answer on answer.id = steps.answer_message_id
      where steps.id = ${step.id}
    ), move as (
      select queue_start, summary_block_id from queue_moves, step
      where queue_moves.thread_id = step.thread_id and moved_at <= coalesce(step.placed_at, clock_timestamp())
      order by moved_at desc limit 1
    )
    select step.epoch_id as "epochId", epochs.prefix, epochs.tools,
      coalesce((select min(created_at) from steps where epoch_id = step.epoch_id), step.created_at)::text as "epochBegan",
      coalesce((select queue_start from move), 1) as "from",
      coalesce(
        step.answered_at - 1,
        (select max(position) from messages where thread_id = step.thread_id and turn_id = step.turn_id),
        0) as "to",
      (select summary_block_id from move) as "summaryBlockId",
      step.shortened as "isShortened",
      (select updated_at > step.created_at from agents where id = step.agent_id) as "agentHasChanged"
    from step left join epochs on epochs.id = step.epoch_id`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error(`Step ${step.id} was deleted while it was read.`);
  const { prefix, tools, from, to, ...rest } = row;
  return {
    ...rest,
    prompt: prefix === null || tools === null ? undefined : { prefix, tools },
    queue: await loadRange(db, step.threadId, { from, to }),
  };
}
