import { sql } from 'kysely';
import type { AgentType } from '../core/agents.js';
import { sendMessageToAllAgentsInGroup as broadcast } from '../core/tools/multi-agent.js';
import type { Db, Tx } from './database.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import type { Message } from '../core/messages.js';
import { toEffect } from './steps.js';
import type { Thread } from './threads.js';
import { appendToTranscript } from './transcript.js';
import { appendEvents } from './turn-events.js';

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

/** How an effect stood before it was to be started. */
export interface FoundEffect {
  readonly before: Effect['state'];
  readonly status: Effect['status'];
}

/**
 * Marks the effect `started`, before the tool is tried. Returns how it stood: `planned` the first time, `started` where an
 * earlier try began and its outcome is not known, `done` where the result is stored. Undefined, and nothing is written,
 * where the turn is no longer this execution's.
 */
export async function startEffect(
  db: Db | Tx,
  fence: Fence,
  effectId: string,
): Promise<FoundEffect | undefined> {
  const result = await sql<FoundEffect>`
    with fenced as (
      update turns set touched_at = now()
      where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
      returning id
    ), found as (
      select effects.id, effects.state, effects.status
      from effects join fenced on fenced.id = effects.turn_id
      where effects.id = ${effectId}
      -- Of two that come at once, the second finds what the first has written.
      for no key update of effects
    ), started as (
      update effects set state = 'started', started_at = coalesce(effects.started_at, clock_timestamp())
      from found where effects.id = found.id and found.state in ('planned', 'started')
    )
    select state as before, status from found`.execute(db);
  return result.rows[0];
}

/** What a tool call returned. */
export interface CallResult {
  readonly effectId: string;
  readonly message: Message;
  readonly status: 'success' | 'error';
}

/**
 * Stores a call's result in the transcript, the ledger and the turn's log, in the caller's transaction with the thread
 * locked. Returns false where the turn is no longer this execution's: the caller rolls back.
 */
export async function storeResult(
  tx: Tx,
  fence: Fence,
  { thread, result }: { readonly thread: Thread; readonly result: CallResult },
): Promise<boolean> {
  const { effectId, message, status } = result;
  const [isOurs] = await Promise.all([
    appendEvents(tx, fence, [{ kind: 'message', messageId: message.id, streamed: false }]),
    appendToTranscript(tx, thread, [message]),
    tx
      .updateTable('effects')
      .set((eb) => ({ state: 'done', status, completed_at: eb.fn<Date>('clock_timestamp') }))
      .where('id', '=', effectId)
      .execute(),
  ]);
  return isOurs;
}
