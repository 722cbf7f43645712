import { sql } from 'kysely';
import type { Tx } from '../db/database.js';
import type { Thread } from '../threads/threads.js';
import { placeIncoming } from '../threads/transcript.js';

/** The turns of waiting deliveries that want to steer the running turn, oldest first. */
export async function waitingSteers(tx: Tx, threadId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ turn_id: string }>`
    select turn_id from deliveries
    where thread_id = ${threadId} and state = 'waiting' and steer order by seq`.execute(tx);
  return rows.map((row) => row.turn_id);
}

/**
 * Adds the messages that steer the running turn to its transcript, in the transaction that locked the thread. Their
 * turns become part of this one and end with it.
 */
export async function absorbSteers(
  tx: Tx,
  thread: Thread,
  { turnId, steers }: { readonly turnId: string; readonly steers: readonly string[] },
): Promise<Thread> {
  let moved = thread;
  for (const steer of steers) {
    await sql`
      with absorbed as (update deliveries set state = 'absorbed' where turn_id = ${steer})
      update turns set state = 'running', absorbed_by = ${turnId}, started_at = clock_timestamp()
      where id = ${steer}`.execute(tx);
    moved = await placeIncoming(tx, moved, steer);
  }
  return moved;
}
