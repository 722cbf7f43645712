import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import { closedPart } from '../../core/threads/transcript.js';
import { createBlock } from '../blocks/blocks.js';
import { type Conversation, createConversation, requireConversation } from '../threads/conversations.js';
import { type Db, inTransaction, type Tx, waitingAt } from '../db/database.js';
import { MessageNotFoundError, ThreadNotFoundError } from '../threads/errors.js';
import { insertMessages, loadQueue } from '../threads/messages.js';
import { lockThread, type Thread } from '../threads/threads.js';
import { markAsRead } from '../threads/watermarks.js';

/** Which part of which thread to fork. */
export interface Fork {
  readonly threadId: string;
  /** The last message to copy; absent: all that are in context. */
  readonly upTo?: string | undefined;
  readonly hidden?: boolean | undefined;
}

/**
 * Creates a conversation that starts with the thread's context and summary. Messages are copied, so neither thread
 * sees the other's later ones. A tool call without a result is left out. Throws ThreadNotFoundError, and
 * MessageNotFoundError where `upTo` is not in context.
 */
export async function forkConversation(db: Db | Tx, fork: Fork): Promise<Conversation> {
  return inTransaction(waitingAt(db, fork.threadId), async (tx) => {
    const source = await lockThread(tx, fork.threadId);
    if (source === undefined) throw new ThreadNotFoundError(fork.threadId);
    const taken = closedPart(upTo(await loadQueue(tx, source.id), fork));
    const hidden = fork.hidden === undefined ? {} : { hidden: fork.hidden };
    const { id } = await createConversation(tx, source.agentId, {
      ...(await fieldsOf(tx, source)),
      ...hidden,
    });
    await insertMessages(
      tx,
      taken.map((message, index) => copyOf(message, id, index + 1)),
    );
    // Recall finds the originals. Without this, each message would appear twice in its results.
    await sql`update messages set words = '', identifiers = '{}' where thread_id = ${id}`.execute(tx);
    await tx
      .updateTable('threads')
      .set({
        next_position: taken.length + 1,
        learned_window: source.learned?.tokens ?? null,
        learned_model: source.learned?.model ?? null,
        summary_block_id: await copySummary(tx, source),
      })
      .where('id', '=', id)
      .execute();
    // Partners process the originals only.
    await markAsRead(tx, { agentId: source.agentId, threadId: id, position: taken.length });
    return requireConversation(tx, id);
  });
}

function upTo(queue: readonly Message[], { upTo: last, threadId }: Fork): readonly Message[] {
  if (last === undefined) return queue;
  const end = queue.findIndex((message) => message.id === last);
  if (end === -1) throw new MessageNotFoundError(last, `in the context of ${threadId}`);
  // Providers demand an answer together with the results of its calls.
  const next = queue.findIndex((message, index) => index > end && message.body.kind !== 'tool');
  return queue.slice(0, next === -1 ? queue.length : next);
}

async function fieldsOf(tx: Tx, source: Thread) {
  if (source.id === source.agentId) return {};
  const { summary, description, model, modelSettings, contextWindow } = await requireConversation(
    tx,
    source.id,
  );
  return { summary, description, model, modelSettings, contextWindow };
}

function copyOf(message: Message, threadId: string, position: number): Message {
  const id = `message-${randomUUID()}`;
  return { ...message, id, threadId, position, turnId: null, stepId: null, otid: null };
}

async function copySummary(tx: Tx, source: Thread): Promise<string | null> {
  if (source.summaryBlockId === null) return null;
  const block = await tx
    .selectFrom('blocks')
    .selectAll()
    .where('id', '=', source.summaryBlockId)
    .executeTakeFirst();
  if (block === undefined) return null;
  const { label, value, value_limit: limit, description } = block;
  return (await createBlock(tx, { label, value, limit, description, readOnly: true })).id;
}
