import { sql } from 'kysely';
import type { Tx } from './database.js';
import type { Thread } from './threads.js';
import { placeIncoming } from './transcript.js';

/**
 * Takes the deliveries that wish to steer the running turn into its transcript, in the caller's transaction with
 * the thread locked. Their turns run as part of this one, and end with it.
 */
export async function absorbSteers(tx: Tx, thread: Thread, turnId: string): Promise<Thread> {
  const absorbed = await sql<{ turn_id: string }>`
    update deliveries set state = 'absorbed'
    where thread_id = ${thread.id} and state = 'waiting' and steer
    returning turn_id, seq`.execute(tx);
  let moved = thread;
  for (const steer of absorbed.rows) {
    await tx
      .updateTable('turns')
      .set((eb) => ({ state: 'running', absorbed_by: turnId, started_at: eb.fn<Date>('clock_timestamp') }))
      .where('id', '=', steer.turn_id)
      .execute();
    moved = await placeIncoming(tx, moved, steer.turn_id);
  }
  return moved;
}
