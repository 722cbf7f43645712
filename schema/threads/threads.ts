import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { ThreadsTable } from './tables.js';

/** The context window of one model, in tokens, as its provider's refusals and answers showed it. */
export interface LearnedWindow {
  readonly model: string;
  readonly tokens: number;
}

/** A thread, as the runtime needs it. */
export interface Thread {
  readonly id: string;
  readonly agentId: string;
  /** The position of the next message. */
  readonly nextPosition: number;
  /** The first position in context. */
  readonly queueStart: number;
  readonly epochId: string | null;
  readonly summaryBlockId: string | null;
  /** The step whose calls wait for an approval. */
  readonly awaitingStep: string | null;
  /** Set where a provider refused less than its model's stated window. */
  readonly learned: LearnedWindow | null;
  /** The number of messages that have left the context. */
  readonly recallMessages: number;
}

/**
 * Locks the thread's row until the transaction ends. Required for assigning positions or delivery numbers and for all
 * writes of a turn. It is taken before any other row, so that writers never deadlock. Undefined where the thread is
 * gone, or it or its agent was deleted.
 */
export async function lockThread(tx: Tx, threadId: string | RawBuilder<string>): Promise<Thread | undefined> {
  const { rows } = await sql<ThreadRow>`
    select threads.id, threads.agent_id, threads.next_position, threads.queue_start, threads.epoch_id,
      threads.summary_block_id, threads.awaiting_step, threads.learned_window, threads.learned_model,
      threads.recall_messages
    from threads join agents on agents.id = threads.agent_id
    where threads.id = ${threadId} and agents.deleted_at is null and threads.deleted_at is null
    for update of threads`.execute(tx);
  return rows[0] === undefined ? undefined : toThread(rows[0]);
}

/**
 * Locks several threads until the transaction ends, always in the same order, so that writers never deadlock. Must
 * come before any other row's lock.
 */
export async function lockThreads(tx: Tx, threadIds: readonly string[]): Promise<void> {
  await tx
    .selectFrom('threads')
    .select('id')
    .where('id', '=', sql<string>`any(${[...threadIds]})`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Empties the context of a locked thread. The next step compiles its prefix again. */
export async function clearQueue(tx: Tx, threadId: string): Promise<void> {
  await sql`
    update threads set queue_start = next_position, epoch_id = null
    where id = ${threadId} and queue_start < next_position`.execute(tx);
}

/** Records the learned window of a thread's model. It replaces an earlier one. */
export async function setLearnedWindow(tx: Tx, threadId: string, learned: LearnedWindow): Promise<void> {
  await tx
    .updateTable('threads')
    .set({ learned_window: learned.tokens, learned_model: learned.model })
    .where('id', '=', threadId)
    .execute();
}

/** Records that a model accepted more than its learned window. Does nothing otherwise. */
export async function widenLearnedWindow(tx: Tx, threadId: string, taken: LearnedWindow): Promise<void> {
  await tx
    .updateTable('threads')
    .set({ learned_window: taken.tokens })
    .where('id', '=', threadId)
    .where('learned_model', '=', taken.model)
    .where('learned_window', '<', taken.tokens)
    .execute();
}

/** The thread, without a lock. Undefined where it is gone. */
export async function readThread(db: Db, threadId: string): Promise<Thread | undefined> {
  const row = await db.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  return row === undefined ? undefined : toThread(row);
}

/** The agent and the creation of a thread; undefined where the thread or its agent is gone. */
export async function threadBegin(
  db: Db,
  threadId: string,
): Promise<{ threadId: string; agentId: string; createdAt: Date } | undefined> {
  return db
    .selectFrom('threads')
    .innerJoin('agents', 'agents.id', 'threads.agent_id')
    .select(['threads.id as threadId', 'agents.id as agentId', 'threads.created_at as createdAt'])
    .where('threads.id', '=', threadId)
    .where('agents.deleted_at', 'is', null)
    .where('threads.deleted_at', 'is', null)
    .executeTakeFirst();
}

type ThreadColumns =
  | 'id'
  | 'agent_id'
  | 'next_position'
  | 'queue_start'
  | 'epoch_id'
  | 'summary_block_id'
  | 'awaiting_step'
  | 'learned_window'
  | 'learned_model'
  | 'recall_messages';

type ThreadRow = Pick<Selectable<ThreadsTable>, ThreadColumns>;

function toThread(row: ThreadRow): Thread {
  return {
    id: row.id,
    agentId: row.agent_id,
    nextPosition: row.next_position,
    queueStart: row.queue_start,
    epochId: row.epoch_id,
    summaryBlockId: row.summary_block_id,
    awaitingStep: row.awaiting_step,
    learned:
      row.learned_window === null || row.learned_model === null
        ? null
        : { model: row.learned_model, tokens: row.learned_window },
    recallMessages: row.recall_messages,
  };
}
