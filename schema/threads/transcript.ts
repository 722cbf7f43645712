import { sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import type { Tx } from '../db/database.js';
import { insertPlaced } from './messages.js';
import type { Thread } from './threads.js';

/**
 * Appends messages to a locked thread's transcript, in this order. A message whose id exists stays unchanged. Returns
 * by how much positions have moved, which the caller must add when it appends again in the same transaction.
 */
export async function appendToTranscript(
  tx: Tx,
  thread: Thread,
  messages: readonly Message[],
): Promise<Thread> {
  if (messages.length === 0) return thread;
  const begun = beginToAppend(tx, thread, messages);
  await begun.written;
  return begun.thread;
}

/** As `appendToTranscript`, but does not wait for the statements. `placed` are the messages with their positions. */
export function beginToAppend(
  tx: Tx,
  thread: Thread,
  messages: readonly Message[],
): { readonly thread: Thread; readonly placed: readonly Message[]; readonly written: Promise<void> } {
  const placed = messages.map((message, index) => ({ ...message, position: thread.nextPosition + index }));
  const nextPosition = thread.nextPosition + messages.length;
  const written = insertPlaced(tx, placed, { threadId: thread.id, nextPosition });
  return { thread: { ...thread, nextPosition }, placed, written };
}

/** Places the messages of a delivery in the transcript, in the order of sending. */
export async function placeIncoming(tx: Tx, thread: Thread, turnId: string): Promise<Thread> {
  const moved = await sql<{ next_position: number }>`
    with placed as (
      update messages set position = ${thread.nextPosition}::bigint + waiting.place - 1
      from (
        select id, row_number() over (order by ordinal, created_at, id) as place
        from messages where turn_id = ${turnId} and step_id is null and position is null
      ) as waiting
      where messages.id = waiting.id
      returning messages.id
    )
    update threads set next_position = ${thread.nextPosition}::bigint + (select count(*) from placed)
    where id = ${thread.id}
    returning next_position`.execute(tx);
  return { ...thread, nextPosition: moved.rows[0]?.next_position ?? thread.nextPosition };
}
