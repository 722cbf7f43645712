import { type Selectable, sql } from 'kysely';
import type { AgentType } from '../../core/agents/agents.js';
import { sendMessageToAllAgentsInGroup as broadcast } from '../../core/tools/multi-agent.js';
import type { Db, Tx } from '../db/database.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import type { Message } from '../../core/threads/messages.js';
import { toEffect } from './steps.js';
import type { EffectsTable } from './tables.js';
import type { Thread } from '../threads/threads.js';
import { appendToTranscript } from '../threads/transcript.js';
import { appendEvents } from './events.js';

/** A tool call, with what its tool needs to know of the agent. */
export interface PlannedCall {
  readonly effect: Effect;
  readonly agent: ToolAgent;
  /** The most characters of the result that the model sees; null where the agent has no such tool. */
  readonly returnLimit: number | null;
  /** Null where the agent has no such tool. */
  readonly toolType: string | null;
  /** Whether the turn runs under this execution. It can't change while the thread is locked. */
  readonly isOurs: boolean;
}

/** The agent that made the call. */
export interface ToolAgent {
  readonly id: string;
  readonly agentType: AgentType;
  readonly embedding: string;
}

/** Reads the call in one query. Undefined where it or its agent is gone. */
export async function findCall(
  db: Db | Tx,
  fence: Fence,
  { effectId, agentId }: { readonly effectId: string; readonly agentId: string },
): Promise<PlannedCall | undefined> {
  const { rows } = await sql<CalledRow>`
    select effects.*, agents.agent_type, agents.embedding, tool.return_limit,
      exists (
        select from turns where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
      ) as is_ours,
      -- The tool of a turn in which the agent leads a group is no row of its own, whatever the agent has by its name.
      case when turns.options ? 'supervises' and effects.tool_name = ${broadcast.name} then ${broadcast.toolType}
        else tool.tool_type end as called_type
    from effects join agents on agents.id = ${agentId} and agents.deleted_at is null
      left join turns on turns.id = effects.turn_id
      left join lateral (
        select tools.return_limit, tools.tool_type
        from agent_tools join tools on tools.id = agent_tools.tool_id
        where agent_tools.agent_id = ${agentId} and tools.name = effects.tool_name
      ) as tool on true
    where effects.id = ${effectId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const agent = { id: agentId, agentType: row.agent_type, embedding: row.embedding };
  const { return_limit: returnLimit, called_type: toolType, is_ours: isOurs } = row;
  return { effect: toEffect(row), agent, returnLimit, toolType, isOurs };
}

interface CalledRow extends Selectable<EffectsTable> {
  readonly agent_type: AgentType;
  readonly embedding: string;
  readonly return_limit: number | null;
  readonly called_type: string | null;
  readonly is_ours: boolean;
}

/** The state of an effect before it was to start. */
export interface FoundEffect {
  readonly before: Effect['state'];
  readonly status: Effect['status'];
}

/**
 * Marks the effect as `started` before the tool runs. Returns its earlier state: `planned` the first time, `started`
 * where an earlier try has an unknown outcome, `done` where the result is stored. Undefined, without writing, where
 * the turn no longer belongs to this execution.
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

/** The result of a tool call. */
export interface CallResult {
  readonly effectId: string;
  readonly message: Message;
  readonly status: 'success' | 'error';
}

/**
 * Stores a call's result in the transcript, the ledger and the turn's log. The caller's transaction has locked the
 * thread and checked the fence.
 */
export async function storeResult(
  tx: Tx,
  fence: Fence,
  { thread, result }: { readonly thread: Thread; readonly result: CallResult },
): Promise<void> {
  const { effectId, message, status } = result;
  const closed = sql`
    update effects set state = 'done', status = ${status}, completed_at = clock_timestamp() where id = ${effectId}`;
  await Promise.all([
    appendEvents(tx, fence, [{ kind: 'message', messageId: message.id, streamed: false }], closed),
    appendToTranscript(tx, thread, [message]),
  ]);
}
