import type { Message } from '../../core/threads/messages.js';
import type { Tx } from '../../schema/db/database.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { absorbSteers } from '../../schema/turns/steering.js';
import type { Thread } from '../../schema/threads/threads.js';
import { beginToAppend } from '../../schema/threads/transcript.js';

/**
 * A locked thread with its message queue, to which a step adds. Writes are started but not awaited; the transaction
 * ends with `written`.
 */
export interface GrowingQueue {
  readonly thread: Thread;
  readonly messages: readonly Message[];
  readonly written: readonly Promise<unknown>[];
}

/** The queue with messages at its end. Those that an earlier attempt of the step added keep their place. */
export function extended(tx: Tx, queue: GrowingQueue, messages: readonly Message[]): GrowingQueue {
  const known = new Set(queue.messages.map(({ id }) => id));
  const fresh = messages.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return queue;
  const { thread, placed, written } = beginToAppend(tx, queue.thread, fresh);
  return alsoWriting({ ...queue, thread, messages: [...queue.messages, ...placed] }, written);
}

/** The queue with another write that its transaction ends with. */
export function alsoWriting(queue: GrowingQueue, write: Promise<unknown>): GrowingQueue {
  // `written` reports the failure, perhaps much later.
  write.catch(() => undefined);
  return { ...queue, written: [...queue.written, write] };
}

/** The queue with the messages that steer the turn. */
export async function steered(
  tx: Tx,
  queue: GrowingQueue,
  steering: { readonly turnId: string; readonly steers: readonly string[] },
): Promise<GrowingQueue> {
  if (steering.steers.length === 0) return queue;
  await Promise.all(queue.written);
  const thread = await absorbSteers(tx, queue.thread, steering);
  return { thread, messages: await loadQueue(tx, thread.id), written: [] };
}
