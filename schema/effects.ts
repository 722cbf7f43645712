import { sql } from 'kysely';
import type { AgentType } from '../core/agents.js';
import { sendMessageToAllAgentsInGroup as broadcast } from '../core/tools/multi-agent.js';
import type { Db, Tx } from './database.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import type { CallResult } from './step-answers.js';
import { toEffect } from './steps.js';
import { lockThread, type Thread } from './threads.js';
import { appendToTranscript } from './transcript.js';
import { appendEvents } from './turn-events.js';
import { livingWorker } from './worker-lives.js';

/** A tool call with what its tool needs to know of the agent. */
export interface PlannedCall {
  readonly effect: Effect;
  readonly agent: ToolAgent;
  /** Characters of the result that the model is shown; null where the agent has no such tool. */
  readonly returnLimit: number | null;
  /** Null where the agent has no such tool. */
  readonly toolType: string | null;
}

/** Whose call it is. */
export interface ToolAgent {
  readonly id: string;
  readonly agentType: AgentType;
  readonly embedding: string;
}

/** The call, in one query. Undefined where it or its agent is gone. */
export async function findCall(
  db: Db | Tx,
  { effectId, agentId }: { readonly effectId: string; readonly agentId: string },
): Promise<PlannedCall | undefined> {
  const row = await db
    .selectFrom('effects')
    .innerJoin('agents', (join) => join.on('agents.id', '=', agentId).on('agents.deleted_at', 'is', null))
    .selectAll('effects')
    .select(['agents.agent_type', 'agents.embedding'])
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('tools')
          .innerJoin('agent_tools', 'agent_tools.tool_id', 'tools.id')
          .select(['tools.return_limit', 'tools.tool_type'])
          .where('agent_tools.agent_id', '=', agentId)
          .whereRef('tools.name', '=', 'effects.tool_name')
          .as('tool'),
      (join) => join.onTrue(),
    )
    .leftJoin('turns', 'turns.id', 'effects.turn_id')
    .select([
      'tool.return_limit',
      // The tool of a turn in which the agent leads a group is no row of its own, whatever the agent has by its name.
      sql<string | null>`case when turns.options ? 'supervises' and effects.tool_name = ${broadcast.name}
        then ${broadcast.toolType} else tool.tool_type end`.as('called_type'),
    ])
    .where('effects.id', '=', effectId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const agent = { id: agentId, agentType: row.agent_type as AgentType, embedding: row.embedding };
  return { effect: toEffect(row), agent, returnLimit: row.return_limit, toolType: row.called_type };
}

async function getEffect(db: Db | Tx, effectId: string): Promise<Effect | undefined> {
  const row = await db.selectFrom('effects').selectAll().where('id', '=', effectId).executeTakeFirst();
  return row === undefined ? undefined : toEffect(row);
}

/** How an effect stood before it was to be started. */
export interface FoundEffect {
  readonly before: Effect['state'];
  readonly status: Effect['status'];
  /** The key of the worker that has it in hand; null where there is none, or it has died. */
  readonly worker: number | null;
}

/**
 * Marks the effect `started`, before the tool is tried by the worker with this key. Returns how it stood: `planned` the
 * first time, `started` where an earlier try began and its outcome is not known, `done` where the result is stored.
 * Nothing is written where a living worker has it in hand; nor, and undefined is returned, where the turn is no longer
 * this execution's.
 */
export async function startEffect(
  db: Db | Tx,
  fence: Fence,
  { effectId, worker }: { readonly effectId: string; readonly worker: number | null },
): Promise<FoundEffect | undefined> {
  const result = await sql<FoundEffect>`
    with fenced as (
      update turns set touched_at = now()
      where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
      returning id
    ), found as (
      select effects.id, effects.state, effects.status, ${livingWorker('effects')} as worker
      from effects join fenced on fenced.id = effects.turn_id
      where effects.id = ${effectId}
      -- Of two that come at once, the second finds what the first has written.
      for no key update of effects
    ), started as (
      update effects set state = 'started', started_at = coalesce(effects.started_at, clock_timestamp()),
        worker = ${worker}
      from found where effects.id = found.id and found.state in ('planned', 'started') and found.worker is null
    )
    select state as before, status, worker from found`.execute(db);
  return result.rows[0];
}

/** How a tool's result may be stored. */
export type BegunResult =
  | { readonly kind: 'begun'; readonly thread: Thread }
  /** Another run of the call stored one meanwhile. */
  | { readonly kind: 'done'; readonly status: 'success' | 'error' }
  /** The turn is no longer this execution's. */
  | { readonly kind: 'fenced' };

/**
 * Begins to store a tool's result, in the caller's transaction: locks the thread and, where it is `begun`, writes to
 * the turn's log. Nothing is written otherwise.
 */
export async function beginResult(
  tx: Tx,
  fence: Fence,
  at: { readonly threadId: string; readonly effectId: string; readonly messageId: string },
): Promise<BegunResult> {
  const event = { kind: 'message' as const, messageId: at.messageId, streamed: false };
  const [thread, effect] = await Promise.all([lockThread(tx, at.threadId), getEffect(tx, at.effectId)]);
  if (effect?.state === 'done') return { kind: 'done', status: effect.status ?? 'error' };
  const isOurs = thread !== undefined && (await appendEvents(tx, fence, [event]));
  return isOurs ? { kind: 'begun', thread } : { kind: 'fenced' };
}

/** Stores a tool's result in the transcript and in the ledger, in the transaction of `beginResult`. */
export async function finishEffect(tx: Tx, thread: Thread, result: CallResult): Promise<void> {
  await Promise.all([
    appendToTranscript(tx, thread, [result.message]),
    tx
      .updateTable('effects')
      .set((eb) => ({
        state: 'done',
        status: result.status,
        worker: null,
        completed_at: eb.fn<Date>('clock_timestamp'),
      }))
      .where('id', '=', result.effectId)
      .execute(),
  ]);
}
