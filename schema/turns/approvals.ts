import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  decideCalls,
  deniedText,
  namedCalls,
  undecidedText,
} from '../../core/turns/approvals.js';
import type { ToolResultBody } from '../../core/threads/messages.js';
import { keepAwaiting } from './awaiting.js';
import { type Db, inTransaction, type Tx, waitingAt } from '../db/database.js';
import { enqueueTurn, type NewTurn } from './deliveries.js';
import { pendingApproval } from './pending-approvals.js';
import { ApprovalMismatchError, ThreadNotFoundError } from '../threads/errors.js';
import type { Effect, Turn } from './records.js';
import type { Fence } from './fences.js';
import { toEffect } from './steps.js';
import { toJson } from '../db/storable.js';
import { lockThread, type Thread } from '../threads/threads.js';
import { toolResultMessage } from './tool-results.js';
import { appendToTranscript } from '../threads/transcript.js';
import { appendEvents } from './events.js';
import { requireTurn } from './turns.js';

/** The agent's threads in which calls wait. */
export async function awaitingThreads(db: Db, agentId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('threads')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('awaiting_step', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Stores decisions about waiting calls and the turn that carries them out, in one transaction. Earlier decisions
 * stand. A request with no new decision returns the earlier request's turn or, if that was broken off, a turn that
 * goes on from it. Throws ThreadNotFoundError, and ApprovalMismatchError for a call that never waited in this thread.
 */
export async function enqueueApproval(
  db: Db,
  input: Omit<NewTurn, 'kind'>,
  answers: readonly ApprovalAnswer[],
): Promise<{ turn: Turn; repeated: boolean }> {
  return inTransaction(waitingAt(db, input.threadId), async (tx) => {
    const thread = await lockThread(tx, input.threadId);
    if (thread === undefined) throw new ThreadNotFoundError(input.threadId);
    const waiting = await waitingCalls(tx, thread.id);
    const decisions = decideCalls(answers, waiting);
    const earlier = await decidedEarlier(tx, thread.id, namedCalls(answers));
    const known = new Set([...waiting, ...earlier.map((one) => one.toolCallId)]);
    const unknown = namedCalls(answers).filter((id) => !known.has(id));
    if (unknown.length > 0 || (decisions.length === 0 && earlier.length === 0)) {
      throw new ApprovalMismatchError({ threadId: thread.id, unknown, waiting });
    }
    const [first] = earlier;
    if (decisions.length === 0 && first !== undefined) {
      const turn = await requireTurn(tx, first.turnId);
      if (turn.state !== 'cancelled' && turn.state !== 'failed') return { turn, repeated: true };
      return goOn(tx, input);
    }
    const message = {
      id: `message-${randomUUID()}`,
      createdAt: new Date(),
      otid: null,
      senderId: null,
      body: { kind: 'approval' as const, decisions },
    };
    const sent = await enqueueTurn(tx, {
      ...input,
      refusesApprovals: false,
      kind: 'approval',
      messages: [message, ...input.messages],
    });
    // Providers reuse ids of calls, so the calls of a repeated request need not be those that wait now.
    if (!sent.repeated) await keepDecisions(tx, thread.id, { turnId: sent.turn.id, decisions });
    return sent;
  });
}

/** The calls have results that the agent never read, so a message tells it to go on. */
function goOn(tx: Tx, input: Omit<NewTurn, 'kind'>): Promise<{ turn: Turn; repeated: boolean }> {
  const text =
    'This is an automated keep-alive: your last turn was broken off after its tool calls were decided. Go on from their results.';
  const message = {
    id: `message-${randomUUID()}`,
    createdAt: new Date(),
    ...{ otid: null, senderId: null },
    body: { kind: 'user' as const, content: [{ type: 'text' as const, text }] },
  };
  const messages = [message, ...input.messages];
  return enqueueTurn(tx, { ...input, refusesApprovals: false, kind: 'message', messages });
}

async function waitingCalls(tx: Tx, threadId: string): Promise<readonly string[]> {
  return (await pendingApproval(tx, threadId))?.toolCallIds ?? [];
}

async function decidedEarlier(
  tx: Tx,
  threadId: string,
  toolCallIds: readonly string[],
): Promise<readonly { readonly toolCallId: string; readonly turnId: string }[]> {
  const rows = await tx
    .selectFrom('effects')
    .innerJoin('steps', 'steps.id', 'effects.step_id')
    .select(['effects.tool_call_id', 'effects.turn_id'])
    .where('steps.thread_id', '=', threadId)
    .where('effects.tool_call_id', '=', sql<string>`any(${[...toolCallIds]})`)
    .where('effects.decision', 'is not', null)
    .orderBy('steps.created_at', 'desc')
    .execute();
  return rows.map((row) => ({ toolCallId: row.tool_call_id, turnId: row.turn_id }));
}

async function keepDecisions(
  tx: Tx,
  threadId: string,
  { turnId, decisions }: { readonly turnId: string; readonly decisions: readonly ApprovalDecision[] },
): Promise<void> {
  // Calls that were held beside the waiting ones now run, after the decided ones.
  await sql`
    update effects set turn_id = ${turnId}, state = 'planned' from threads th
    where th.id = ${threadId} and effects.step_id = th.awaiting_step and effects.state = 'held'`.execute(tx);
  await sql`
    update effects set turn_id = ${turnId}, decision = made.decision
    from jsonb_array_elements(${toJson(decisions)}::jsonb) as made (decision), threads th
    where th.id = ${threadId} and effects.step_id = th.awaiting_step and effects.state = 'awaiting'
      and effects.decision is null and effects.tool_call_id = made.decision->>'toolCallId'`.execute(tx);
}

/**
 * Applies the decisions to the calls: denied ones and those that the client ran get their result; approved ones may
 * run. Returns all calls of their step. Harmless when repeated; undefined where the turn no longer belongs to this
 * execution.
 */
export async function carryOutDecisions(
  db: Db,
  fence: Fence,
  threadId: string,
): Promise<readonly Effect[] | undefined> {
  return inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, threadId);
    const decided = await decidedCalls(tx, fence.turnId);
    const settled = decided.flatMap(({ effect, decision }) => {
      const outcome = outcomeOf(decision);
      return outcome === undefined || effect.state !== 'awaiting' ? [] : [{ effect, outcome }];
    });
    const events = settled.map(({ effect }) => ({
      kind: 'message' as const,
      messageId: effect.resultMessageId,
      streamed: false,
    }));
    if (thread === undefined || !(await appendEvents(tx, fence, events))) return undefined;
    await storeResults(tx, thread, settled);
    await tx
      .updateTable('effects')
      .set({ state: 'planned' })
      .where('turn_id', '=', fence.turnId)
      .where('state', '=', 'awaiting')
      .where(sql<string>`decision->>'kind'`, '=', 'approved')
      .execute();
    return callsOfStep(tx, decided[0]?.effect.stepId);
  });
}

async function decidedCalls(
  tx: Tx,
  turnId: string,
): Promise<readonly { readonly effect: Effect; readonly decision: ApprovalDecision }[]> {
  const rows = await tx
    .selectFrom('effects')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('decision', 'is not', null)
    .orderBy('index')
    .execute();
  return rows.flatMap((row) =>
    row.decision === null ? [] : [{ effect: toEffect(row), decision: row.decision }],
  );
}

type Outcome = Pick<ToolResultBody, 'status' | 'content' | 'images' | 'stdout' | 'stderr'>;

/** The result that a decision itself gives; none where the tool must run. */
function outcomeOf(decision: ApprovalDecision): Outcome | undefined {
  switch (decision.kind) {
    case 'approved':
      return undefined;
    case 'denied':
      return { status: 'error', content: deniedText(decision.reason) };
    case 'returned': {
      const { status, content, images, stdout, stderr } = decision;
      return {
        status,
        content,
        ...(images === undefined ? {} : { images }),
        ...(stdout === undefined ? {} : { stdout }),
        ...(stderr === undefined ? {} : { stderr }),
      };
    }
  }
}

async function storeResults(
  tx: Tx,
  thread: Thread,
  settled: readonly { readonly effect: Effect; readonly outcome: Outcome }[],
): Promise<void> {
  await appendToTranscript(
    tx,
    thread,
    settled.map(({ effect, outcome }) => toolResultMessage(thread, effect, outcome)),
  );
  for (const { effect, outcome } of settled) {
    await tx
      .updateTable('effects')
      .set((eb) => ({ state: 'done', status: outcome.status, completed_at: eb.fn<Date>('clock_timestamp') }))
      .where('id', '=', effect.id)
      .execute();
  }
}

async function callsOfStep(tx: Tx, stepId: string | undefined): Promise<readonly Effect[]> {
  if (stepId === undefined) return [];
  const rows = await tx
    .selectFrom('effects')
    .selectAll()
    .where('step_id', '=', stepId)
    .orderBy('index')
    .execute();
  return rows.map(toEffect);
}

/**
 * Drops the waiting calls of a thread, of all turns or of some: each gets a result that says so, and the queue moves
 * on. Returns the turn that made them; undefined: none waited.
 */
export async function dropApprovals(
  db: Db,
  threadId: string,
  turnIds: readonly string[] | null | undefined,
): Promise<string | undefined> {
  return inTransaction(waitingAt(db, threadId), async (tx) => {
    const thread = await lockThread(tx, threadId);
    if (thread === undefined) return undefined;
    let waiting = tx
      .selectFrom('effects')
      .innerJoin('threads', 'threads.awaiting_step', 'effects.step_id')
      .selectAll('effects')
      .where('threads.id', '=', threadId)
      .where('effects.state', 'in', ['awaiting', 'held'])
      .where('effects.decision', 'is', null)
      .orderBy('effects.index');
    if (turnIds != null) waiting = waiting.where('effects.turn_id', '=', sql<string>`any(${[...turnIds]})`);
    const rows = await waiting.execute();
    const outcome: Outcome = { status: 'error', content: undecidedText };
    await storeResults(
      tx,
      thread,
      rows.map((row) => ({ effect: toEffect(row), outcome })),
    );
    await keepAwaiting(tx, threadId);
    return rows[0]?.turn_id;
  });
}
