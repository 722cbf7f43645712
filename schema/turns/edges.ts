import { type Selectable, sql } from 'kysely';
import { type AgentReply, type Refused } from '../../core/groups/agent-talk.js';
import { derivedId } from '../../core/ids.js';
import type { SpeakingTools } from '../../core/tools/messaging.js';
import { isAlive } from '../agents/agents.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { enqueueTurn } from './deliveries.js';
import type { EdgesTable } from './tables.js';
import { listSpeakingTools } from '../tools/extension-tools.js';
import type { Effect } from './records.js';
import type { Fence } from './fences.js';
import { lockThread, lockThreads } from '../threads/threads.js';
import { wordsOfTurn } from './spoken-words.js';

/** A message from one agent to another, by a tool call. */
export interface AgentCall {
  readonly fence: Fence;
  readonly threadId: string;
  readonly agentId: string;
  readonly effect: Effect;
  readonly toAgentId: string;
  /** As the other agent reads it. */
  readonly text: string;
}

export type Asked = 'asked' | 'refused' | 'fenced';

/** An arbitrary number, different from other advisory locks. Edges are added one at a time, for the cycle check. */
const edgeLock = 7_260_115;

/**
 * Gives another agent a turn for a tool call and records that the caller's thread waits for it, in one transaction;
 * or records why it was not asked, for example because the edge would close a cycle. Harmless when repeated. Returns
 * `fenced` without writing where the caller's turn no longer belongs to this execution.
 * Locks are taken in this order: edges, both threads, the caller's turn. No transaction waits for the edges while it holds a
 * thread, so two agents that ask each other at once don't deadlock here.
 */
export async function askAgent(db: Db, call: AgentCall, withinMs: number): Promise<Asked> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${edgeLock})`.execute(tx);
    await lockThreads(tx, [call.threadId, call.toAgentId]);
    const thread = await lockThread(tx, call.threadId);
    if (thread === undefined || !(await holdTurn(tx, call.fence))) return 'fenced';
    const earlier = await findEdge(tx, call);
    if (earlier !== undefined) return earlier;
    const refusal = (await refusalOf(tx, call)) ?? null;
    const turnId = refusal === null ? await giveTurn(tx, call, { asked: true }) : null;
    await sql`
      insert into edges (effect_id, to_agent, from_thread, from_turn, to_thread, to_turn, state, refusal, deadline)
      values (${call.effect.id}, ${call.toAgentId}, ${call.threadId}, ${call.fence.turnId}, ${call.toAgentId},
        ${turnId}, ${refusal === null ? 'waiting' : 'refused'}, ${refusal},
        now() + ${withinMs} * interval '1 millisecond')`.execute(tx);
    return refusal === null ? 'asked' : 'refused';
  });
}

/**
 * Marks that a tool call begins to ask other agents. Until `endAsking`, its thread is not signalled: the first agents
 * may answer before the last one is asked.
 */
export async function beginAsking(db: Db, effectId: string): Promise<void> {
  await sql`update effects set asking = true where id = ${effectId}`.execute(db);
}

/** Marks that a tool call has asked all agents. Returns how long to wait for answers, in ms; 0: all have answered. */
export async function endAsking(db: Db, effectId: string): Promise<number> {
  await sql`update effects set asking = false where id = ${effectId}`.execute(db);
  // Read after the commit: from now on, the answer signals the caller.
  return remainingWait(db, effectId);
}

/** Gives another agent a turn for a tool call that does not wait. Harmless when repeated. */
export async function tellAgent(db: Db, call: AgentCall): Promise<'told' | 'fenced' | 'unknown'> {
  return inTransaction(db, async (tx) => {
    await lockThreads(tx, [call.threadId, call.toAgentId]);
    if (!(await holdTurn(tx, call.fence))) return 'fenced';
    if (!(await exists(tx, call.toAgentId))) return 'unknown';
    await giveTurn(tx, call, {});
    return 'told';
  });
}

/** The fence: the turn can't end during this transaction. */
async function holdTurn(tx: Tx, fence: Fence): Promise<boolean> {
  const held = await sql`
    select from turns where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
    for share`.execute(tx);
  return held.rows.length > 0;
}

async function findEdge(tx: Tx, { effect, toAgentId }: AgentCall): Promise<'asked' | 'refused' | undefined> {
  const row = await tx
    .selectFrom('edges')
    .select('state')
    .where('effect_id', '=', effect.id)
    .where('to_agent', '=', toAgentId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return row.state === 'refused' ? 'refused' : 'asked';
}

async function refusalOf(tx: Tx, { threadId, toAgentId }: AgentCall): Promise<Refused | undefined> {
  if (toAgentId === threadId) return 'self';
  if (!(await exists(tx, toAgentId))) return 'unknown';
  if (await closesCycle(tx, threadId, toAgentId)) return 'cycle';
  return undefined;
}

async function exists(tx: Tx, agentId: string): Promise<boolean> {
  const result = await sql<{ alive: boolean }>`select ${isAlive(agentId)} as alive`.execute(tx);
  return result.rows[0]?.alive === true;
}

/** Whether the other thread waits for this one, directly or through others. */
async function closesCycle(tx: Tx, from: string, to: string): Promise<boolean> {
  const result = await sql<{ closes: boolean }>`
    with recursive reached (thread_id) as (
      select ${to}::text
      union
      select e.to_thread from edges e join reached r on e.from_thread = r.thread_id where e.state = 'waiting'
    )
    select exists (select from reached where thread_id = ${from}) as closes`.execute(tx);
  return result.rows[0]?.closes === true;
}

async function giveTurn(tx: Tx, call: AgentCall, options: { readonly asked?: true }): Promise<string> {
  const { agentId, effect, toAgentId, text } = call;
  const { turn } = await enqueueTurn(tx, {
    turnId: derivedId('run', effect.id, toAgentId),
    deliveryId: derivedId('delivery', effect.id, toAgentId),
    threadId: toAgentId,
    kind: 'message',
    messages: [
      {
        id: derivedId('message', effect.id, toAgentId),
        createdAt: new Date(),
        otid: null,
        senderId: agentId,
        body: { kind: 'system', content: [{ type: 'text', text }] },
      },
    ],
    options,
    requestKey: `effect:${effect.id}`,
    requestHash: null,
    joinWithinMs: 0,
    steer: false,
  });
  return turn.id;
}

/** How long a tool call must still wait for answers, in ms; 0: all are there, or the deadline has passed. */
async function remainingWait(db: Db, effectId: string): Promise<number> {
  const result = await sql<{ ms: number | null }>`
    select max(extract(epoch from deadline - now()) * 1000)::float8 as ms
    from edges where effect_id = ${effectId} and state = 'waiting'`.execute(db);
  return Math.max(0, Math.ceil(result.rows[0]?.ms ?? 0));
}

/** Stops waiting for agents that have not answered. They may then ask this one. */
export async function stopWaiting(tx: Tx, effectId: string): Promise<void> {
  await sql`update edges set state = 'dropped' where effect_id = ${effectId} and state = 'waiting'`.execute(
    tx,
  );
}

/** The outcome of each agent that a tool call asked, in order. Those without an answer are no longer waited for. */
export async function collectReplies(tx: Tx, effectId: string): Promise<readonly AgentReply[]> {
  await stopWaiting(tx, effectId);
  const edges = await tx
    .selectFrom('edges')
    .select(['to_agent', 'to_turn', 'state', 'stop_reason', 'refusal'])
    .where('effect_id', '=', effectId)
    .orderBy('created_at')
    .orderBy('to_agent')
    .execute();
  const speaking = await listSpeakingTools(tx);
  const replies: AgentReply[] = [];
  for (const edge of edges) {
    replies.push({ agentId: edge.to_agent, outcome: await outcomeOf(tx, edge, speaking) });
  }
  return replies;
}

async function outcomeOf(
  tx: Tx,
  edge: Pick<Selectable<EdgesTable>, 'to_turn' | 'state' | 'stop_reason' | 'refusal'>,
  speaking: SpeakingTools,
): Promise<AgentReply['outcome']> {
  const { to_turn: turnId, state, stop_reason: stopReason, refusal } = edge;
  if (refusal !== null) return { kind: 'refused', why: refusal };
  if (state !== 'answered') return { kind: 'waiting' };
  const said = turnId === null ? [] : await wordsOfTurn(tx, turnId, speaking);
  return { kind: 'ended', stopReason: stopReason ?? 'error', said };
}

/** A tool call whose agents have all answered, with its waiting thread. */
export interface AnsweredCall {
  readonly threadId: string;
  readonly effectId: string;
}

/** The tool calls for which this turn gave the last answer. Called after the commit of its end. */
export async function callsAnsweredBy(db: Db | Tx, turnId: string): Promise<readonly AnsweredCall[]> {
  const result = await sql<AnsweredCall>`
    select e.from_thread as "threadId", e.effect_id as "effectId" from edges e
    where e.to_turn = ${turnId} and e.state = 'answered' and ${noneWaits}`.execute(db);
  return result.rows;
}

/** Answered tool calls whose threads have not noticed for a while. */
export async function unheardCalls(db: Db | Tx, patienceMs: number): Promise<readonly AnsweredCall[]> {
  const result = await sql<AnsweredCall>`
    select distinct e.from_thread as "threadId", e.effect_id as "effectId"
    from edges e join effects f on f.id = e.effect_id join turns t on t.id = e.from_turn
    where e.state = 'answered' and e.answered_at < now() - ${patienceMs} * interval '1 millisecond'
      and f.state <> 'done' and t.state = 'running' and ${noneWaits}`.execute(db);
  return result.rows;
}

const noneWaits = sql<boolean>`(not exists (
  select from edges other where other.effect_id = e.effect_id and other.state = 'waiting')
  and not exists (select from effects asker where asker.id = e.effect_id and asker.asking))`;
