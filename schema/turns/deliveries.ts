import { sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import { type Db, inTransaction, type Tx, waitingAt } from '../db/database.js';
import { pendingApproval } from './pending-approvals.js';
import { PendingApprovalError, ThreadNotFoundError } from '../threads/errors.js';
import { insertCallback } from './callbacks.js';
import { isRepeated, type RepeatableRequest } from './repeated-requests.js';
import { lastStatements } from '../db/last-statements.js';
import { insertMessages } from '../threads/messages.js';
import type { DeliveryKind, Turn, TurnOptions } from './records.js';
import { settleTurn } from './settling.js';
import { lockThread } from '../threads/threads.js';
import { toTurn } from './turns.js';

/** A turn to store, with its messages. */
export interface NewTurn extends RepeatableRequest {
  readonly turnId: string;
  readonly deliveryId: string;
  readonly threadId: string;
  readonly kind: DeliveryKind;
  readonly messages: readonly Omit<Message, 'agentId' | 'threadId' | 'turnId' | 'stepId' | 'position'>[];
  readonly options: TurnOptions;
  readonly steer: boolean;
  /** Whether to end the turn that runs in the thread. */
  readonly interrupts?: boolean;
  /** Whether to refuse the turn if it would wait behind calls that need a decision. */
  readonly refusesApprovals?: boolean;
}

/**
 * Stores a turn, its delivery and its messages durably, in one transaction. A repeated request (same key, or same
 * hash within `joinWithinMs`) returns the earlier turn, and interrupts nothing. Throws ThreadNotFoundError, and PendingApprovalError.
 */
export async function enqueueTurn(db: Db | Tx, input: NewTurn): Promise<{ turn: Turn; repeated: boolean }> {
  return inTransaction(waitingAt(db, input.threadId), async (tx) => {
    const [thread, earlier] = await Promise.all([lockThread(tx, input.threadId), findEarlier(tx, input)]);
    if (thread === undefined) throw new ThreadNotFoundError(input.threadId);
    if (earlier !== undefined) return { turn: earlier, repeated: true };
    if (input.refusesApprovals === true && thread.awaitingStep !== null) await refusePending(tx, thread.id);
    const options = input.interrupts === true ? await interrupting(tx, input) : input.options;
    const messages = input.messages.map((message) => ({
      ...message,
      agentId: thread.agentId,
      threadId: input.threadId,
      turnId: input.turnId,
      stepId: null,
      position: null,
    }));
    const answers = Promise.all([
      insertTurn(tx, { ...input, options }, thread.agentId),
      insertDelivery(tx, input),
      insertMessages(tx, messages),
      ...(input.options.callbackUrl === undefined ? [] : [insertCallback(tx, input.turnId)]),
    ]);
    return lastStatements(answers.then(([turn]) => ({ turn, repeated: false })));
  });
}

/** Throws PendingApprovalError where calls wait for a decision. */
async function refusePending(tx: Tx, threadId: string): Promise<void> {
  const pending = await pendingApproval(tx, threadId);
  if (pending !== undefined) throw new PendingApprovalError(pending);
}

/** Ends the turn that runs in the locked thread. Returns the options of the turn that interrupts it, which name it. */
async function interrupting(tx: Tx, { threadId, options }: NewTurn): Promise<TurnOptions> {
  const running = await tx
    .selectFrom('turns')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', '=', 'running')
    .where('absorbed_by', 'is', null)
    .executeTakeFirst();
  if (running === undefined) return options;
  await settleTurn(tx, { turnId: running.id, stopReason: 'cancelled' });
  return { ...options, interrupted: running.id };
}

async function findEarlier(tx: Tx, input: NewTurn): Promise<Turn | undefined> {
  const condition = isRepeated(input);
  if (condition === undefined) return undefined;
  const row = await tx
    .selectFrom('turns')
    .selectAll()
    .where('thread_id', '=', input.threadId)
    .where(condition)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toTurn(row);
}

async function insertTurn(tx: Tx, input: NewTurn, agentId: string): Promise<Turn> {
  const row = await tx
    .insertInto('turns')
    .values({
      id: input.turnId,
      thread_id: input.threadId,
      agent_id: agentId,
      state: 'created',
      options: JSON.stringify(input.options),
      request_key: input.requestKey,
      request_hash: input.requestHash,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toTurn(row);
}

async function insertDelivery(tx: Tx, input: NewTurn): Promise<void> {
  await sql`
    with numbered as (
      update threads set next_delivery = next_delivery + 1 where id = ${input.threadId} returning next_delivery - 1 as seq
    )
    insert into deliveries (id, thread_id, seq, kind, turn_id, steer, state)
    select ${input.deliveryId}, ${input.threadId}, numbered.seq, ${input.kind}, ${input.turnId}, ${input.steer}, 'waiting'
    from numbered`.execute(tx);
}

/** Whether the thread has an unclaimed delivery. */
export async function hasWaiting(db: Db | Tx, threadId: string): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where thread_id = ${threadId} and state = 'waiting' limit 1`.execute(db);
  return rows.length > 0;
}
