import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { TurnError } from '../../core/turns/events.js';
import type { FinishReason } from '../../core/models/model.js';
import type { PastCall } from '../../core/agents/tool-rules.js';
import { type CallSize, type Measured, scaleOf, unmeasured } from '../../core/threads/request-size.js';
import type { Db, Tx } from '../db/database.js';
import { type Page, paged } from '../db/paging.js';
import type { Effect, Step } from './records.js';
import type { EffectsTable, StepsTable } from './tables.js';

function toStep(row: Selectable<StepsTable>): Step {
  return {
    id: row.id,
    turnId: row.turn_id,
    threadId: row.thread_id,
    agentId: row.agent_id,
    index: row.index,
    state: row.state,
    model: row.model,
    attempt: row.attempt,
    answerMessageId: row.answer_message_id,
    finishReason: row.finish_reason as FinishReason | null,
    usage: {
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      totalTokens: row.total_tokens,
      cachedTokens: row.cached_tokens,
      reasoningTokens: row.reasoning_tokens,
    },
    contextWindow: row.context_window,
    error: row.error,
    createdAt: row.created_at,
    answeredAt: row.answered_at,
  };
}

export async function getStep(db: Db | Tx, stepId: string): Promise<Step | undefined> {
  const row = await db.selectFrom('steps').selectAll().where('id', '=', stepId).executeTakeFirst();
  return row === undefined ? undefined : toStep(row);
}

/** Filters for steps. */
export interface StepFilter {
  readonly agentId?: string;
  readonly turnId?: string;
  readonly model?: string;
  /** Bounds of their beginning, inclusive. */
  readonly from?: Date;
  readonly to?: Date;
  /** The feedback on it; with tags, any of which must match. */
  readonly feedback?: 'positive' | 'negative';
  readonly hasFeedback?: boolean;
  readonly tags?: readonly string[];
}

/** Steps by creation, paged. */
export async function listSteps(db: Db, filter: StepFilter, page: Page): Promise<readonly Step[]> {
  let query = db.selectFrom('steps').selectAll();
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
  if (filter.turnId !== undefined) query = query.where('turn_id', '=', filter.turnId);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.from !== undefined) query = query.where('created_at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('created_at', '<=', filter.to);
  for (const condition of feedbackConditions(filter)) query = query.where(condition);
  return (await paged('steps', query, page)).map(toStep);
}

function feedbackConditions({ feedback, hasFeedback, tags }: StepFilter): RawBuilder<boolean>[] {
  const said = (condition: RawBuilder<boolean>): RawBuilder<boolean> =>
    sql<boolean>`exists (select from step_feedback where step_id = steps.id and ${condition})`;
  const present = said(sql<boolean>`feedback is not null`);
  return [
    ...(feedback === undefined ? [] : [said(sql<boolean>`feedback = ${feedback}`)]),
    ...(hasFeedback === undefined ? [] : [hasFeedback ? present : sql<boolean>`not ${present}`]),
    ...(tags === undefined ? [] : [said(sql<boolean>`tags && ${[...tags]}::text[]`)]),
  ];
}

export function toEffect(row: Selectable<EffectsTable>): Effect {
  return {
    id: row.id,
    turnId: row.turn_id,
    stepId: row.step_id,
    index: row.index,
    call: { id: row.tool_call_id, name: row.tool_name, arguments: JSON.stringify(row.arguments) },
    arguments: row.arguments,
    requestHeartbeat: row.request_heartbeat,
    state: row.state,
    status: row.status,
    refusal: row.refusal,
    resultMessageId: row.result_message_id,
  };
}

/** The step's tool calls, in the order of the model's answer. */
export async function stepEffects(db: Db | Tx, stepId: string): Promise<readonly Effect[]> {
  const rows = await db
    .selectFrom('effects')
    .selectAll()
    .where('step_id', '=', stepId)
    .orderBy('index')
    .execute();
  return rows.map(toEffect);
}

/** The last error of the turn's current step. */
export async function pendingStepError(db: Db, turnId: string): Promise<TurnError | undefined> {
  const row = await db
    .selectFrom('steps')
    .select('error')
    .where('turn_id', '=', turnId)
    .where('state', '=', 'pending')
    .orderBy('index', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.error == null ? undefined : { type: row.error.type, message: row.error.message };
}

/** How many calls of an agent are searched for one that its provider counted. */
const recentCalls = 20;

/** The tokens that the provider counted in a thread's epoch, and in the agent's last counted call with its model. */
export async function lastMeasured(
  db: Db | Tx,
  { agentId, threadId }: { readonly agentId: string; readonly threadId: string },
): Promise<Measured> {
  // The newest step is found first, by the index: a join would read every step of the epoch.
  const result = await sql<{ inEpoch: CallSize | null; last: Parameters<typeof scaleOf>[0] | null }>`
    select (
      select json_build_object('tokens', total_tokens, 'estimate', estimated_tokens, 'answerPosition', position)
      from (
        select answer_message_id, total_tokens, estimated_tokens from steps
        where epoch_id = (select epoch_id from threads where id = ${threadId})
          and total_tokens > 0 and estimated_tokens > 0 and not shortened
        order by answered_at desc limit 1
      ) as last join messages on messages.id = last.answer_message_id
      where messages.thread_id = ${threadId} and messages.position is not null
    ) as "inEpoch", (
      select json_build_object('promptTokens', prompt_tokens, 'estimate', estimated_tokens)
      from (
        select prompt_tokens, estimated_tokens, model, created_at, id from steps where agent_id = ${agentId}
        order by created_at desc, id desc limit ${recentCalls}
      ) as recent
      where prompt_tokens > 0 and estimated_tokens > 0 and model = (select model from agents where id = ${agentId})
      order by created_at desc, id desc limit 1
    ) as last`.execute(db);
  const { inEpoch, last } = result.rows[0] ?? { inEpoch: null, last: null };
  return { inEpoch: inEpoch ?? undefined, scale: last === null ? unmeasured.scale : scaleOf(last) };
}

/** The largest prompt of an agent that a model accepted, in tokens as the provider counted them; null: none yet. */
export async function largestPrompt(
  db: Db | Tx,
  { agentId, model }: { readonly agentId: string; readonly model: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('steps')
    .select((eb) => eb.fn.max<number | null>('prompt_tokens').as('largest'))
    .where('agent_id', '=', agentId)
    .where('model', '=', model)
    .where('prompt_tokens', '>', 0)
    .executeTakeFirstOrThrow();
  return row.largest;
}

/**
 * The turn's tool calls before a step with their outputs, oldest first, for its tool rules. Approved calls that it
 * took over from another turn come first.
 */
export async function turnCalls(
  db: Db | Tx,
  turnId: string,
  beforeIndex: number,
): Promise<readonly PastCall[]> {
  const result = await sql<{ name: string; output: string | null; failed: boolean }>`
    select e.tool_name as name, m.body->>'content' as output, coalesce(e.status = 'error', false) as failed
    from effects e join steps s on s.id = e.step_id left join messages m on m.id = e.result_message_id
    where e.turn_id = ${turnId} and (s.turn_id <> e.turn_id or s.index < ${beforeIndex})
    order by s.turn_id = e.turn_id, s.index, e.index`.execute(db);
  return result.rows.map(({ name, output, failed }) => ({
    name,
    failed,
    ...(output === null ? {} : { output }),
  }));
}
