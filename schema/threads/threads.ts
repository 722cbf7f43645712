import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { ThreadsTable } from './tables.js';

/** The window of one model, in tokens, as its provider's refusals and answers showed it. */
export interface LearnedWindow {
  readonly model: string;
  readonly tokens: number;
}

/** One line of conversation of an agent, as the runtime needs it. */
export interface Thread {
  readonly id: string;
  readonly agentId: string;
  /** The position that the next message gets. */
  readonly nextPosition: number;
  /** Messages from this position on are in context. */
  readonly queueStart: number;
  readonly epochId: string | null;
  readonly summaryBlockId: string | null;
  /** The step whose calls wait for an approval. */
  readonly awaitingStep: string | null;
  /** Set where a provider proved that its model's window is smaller than it is said to be. */
  readonly learned: LearnedWindow | null;
  /** Placed messages that are no longer in context. */
  readonly recallMessages: number;
}

/**
 * Locks the thread's row until the transaction ends. Whoever gives out positions or delivery numbers, and whoever
 * writes for a turn, holds it; it is taken before any other row, so that no two writers wait for each other.
 * Undefined where the thread is gone, or it or its agent is deleted.
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
 * Locks several threads until the transaction ends: always in the same order, so that no two who need some of the same
 * wait for each other. Before any other row, and before `lockThread` for one of them.
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

/** Takes all that a locked thread has in context out of it. The next step renders its prefix anew. */
export async function clearQueue(tx: Tx, threadId: string): Promise<void> {
  await sql`
    update threads set queue_start = next_position, epoch_id = null
    where id = ${threadId} and queue_start < next_position`.execute(tx);
}

/** Writes down what was learned of the window of a thread's model, in place of what was known of it or another. */
export async function setLearnedWindow(tx: Tx, threadId: string, learned: LearnedWindow): Promise<void> {
  await tx
    .updateTable('threads')
    .set({ learned_window: learned.tokens, learned_model: learned.model })
    .where('id', '=', threadId)
    .execute();
}

/** Writes down that a model takes more than was learned of its window. Nothing where nothing, or no less, was. */
export async function widenLearnedWindow(tx: Tx, threadId: string, taken: LearnedWindow): Promise<void> {
  await tx
    .updateTable('threads')
    .set({ learned_window: taken.tokens })
    .where('id', '=', threadId)
    .where('learned_model', '=', taken.model)
    .where('learned_window', '<', taken.tokens)
    .execute();
}

/** The thread as it is, unlocked. Undefined where it is gone. */
export async function readThread(db: Db, threadId: string): Promise<Thread | undefined> {
  const row = await db.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  return row === undefined ? undefined : toThread(row);
}

/** Whose a thread is and since when; undefined where it, or its agent, is gone. */
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
