import { type Selectable, sql } from 'kysely';
import { noUsage, type Usage } from '../../core/models/usage.js';
import type { TurnState, StopReason } from '../../core/turns/stop-reasons.js';
import type { Db, Tx } from '../db/database.js';
import { TurnNotFoundError } from './errors.js';
import type { Turn } from './records.js';
import type { TurnsTable } from './tables.js';
import { type Page, paged } from '../db/paging.js';

export function toTurn(row: Selectable<TurnsTable>): Turn {
  return {
    id: row.id,
    threadId: row.thread_id,
    agentId: row.agent_id,
    state: row.state,
    options: row.options,
    stopReason: row.stop_reason,
    error: row.error,
    steps: row.steps,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    firstTokenMs: row.first_token_ms,
  };
}

export async function getTurn(db: Db | Tx, turnId: string): Promise<Turn | undefined> {
  const row = await db.selectFrom('turns').selectAll().where('id', '=', turnId).executeTakeFirst();
  return row === undefined ? undefined : toTurn(row);
}

/** Throws TurnNotFoundError. */
export async function requireTurn(db: Db | Tx, turnId: string): Promise<Turn> {
  const turn = await getTurn(db, turnId);
  if (turn === undefined) throw new TurnNotFoundError(turnId);
  return turn;
}

/** Where Temporal has a turn. */
export interface Execution {
  readonly workflowId: string;
  /** Null: no worker has taken the turn yet. */
  readonly executionId: string | null;
}

/** The turn's execution in Temporal. Throws TurnNotFoundError. */
export async function requireExecution(db: Db, turnId: string): Promise<Execution> {
  const row = await db
    .selectFrom('turns')
    // A thread's workflow has the thread's id.
    .select(['thread_id as workflowId', 'execution_id as executionId'])
    .where('id', '=', turnId)
    .executeTakeFirst();
  if (row === undefined) throw new TurnNotFoundError(turnId);
  return row;
}

/** The newest turn of the agent's thread that has begun; undefined: none. */
export async function latestTurnId(
  db: Db | Tx,
  thread: { readonly id: string; readonly agentId: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', thread.agentId)
    .where('thread_id', '=', thread.id)
    .where('started_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** The turn of a message with the sender's own id, the newest in its thread. */
export async function findTurnByOtid(db: Db, threadId: string, otid: string): Promise<Turn | undefined> {
  const row = await db
    .selectFrom('messages')
    .innerJoin('turns', 'turns.id', 'messages.turn_id')
    .selectAll('turns')
    .where('messages.thread_id', '=', threadId)
    .where('messages.otid', '=', otid)
    .orderBy('turns.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toTurn(row);
}

/** Filters for turns. */
export interface TurnFilter {
  readonly agentIds?: readonly string[];
  readonly threadId?: string;
  readonly states?: readonly TurnState[];
  readonly stopReason?: StopReason;
  readonly background?: boolean;
}

/** Turns by creation, paged. */
export async function listTurns(db: Db, filter: TurnFilter, page: Page): Promise<readonly Turn[]> {
  let query = db.selectFrom('turns').selectAll();
  if (filter.agentIds !== undefined) query = query.where('agent_id', 'in', [...filter.agentIds]);
  if (filter.threadId !== undefined) query = query.where('thread_id', '=', filter.threadId);
  if (filter.states !== undefined) query = query.where('state', 'in', [...filter.states]);
  if (filter.stopReason !== undefined) query = query.where('stop_reason', '=', filter.stopReason);
  if (filter.background !== undefined)
    query = query.where(
      sql<boolean>`coalesce((options->>'background')::boolean, false)`,
      '=',
      filter.background,
    );
  return (await paged('turns', query, page)).map(toTurn);
}

/** How these turns ended, and after how many steps. Unfinished ones are left out. */
export async function turnEnds(
  db: Db,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly stopReason: StopReason; readonly steps: number }>> {
  if (turnIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('turns')
    .select(['id', 'stop_reason', 'steps'])
    .where('id', '=', sql<string>`any(${[...new Set(turnIds)]})`)
    .execute();
  return new Map(
    rows.flatMap(({ id, stop_reason: stopReason, steps }) =>
      stopReason === null ? [] : [[id, { stopReason, steps }] as const],
    ),
  );
}

/** The tokens of the turn's model calls: from its steps or, where they were pruned, from the end of its log. */
export async function turnUsage(db: Db | Tx, turnId: string): Promise<Usage> {
  const { rows } = await sql<{ usage: Usage }>`
    select case when count(*) > 0 then jsonb_build_object(
        'promptTokens', sum(prompt_tokens), 'completionTokens', sum(completion_tokens),
        'totalTokens', sum(total_tokens), 'cachedTokens', sum(cached_tokens),
        'reasoningTokens', sum(reasoning_tokens))
      else (select event->'usage' from turn_events where turn_id = ${turnId} and event->>'kind' = 'ended')
      end as usage
    from steps where turn_id = ${turnId}`.execute(db);
  return rows[0]?.usage ?? noUsage;
}
