import { sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import type { Db, Tx } from '../db/database.js';
import { hint } from '../db/hints.js';
import { getMessages } from '../threads/messages.js';
import type { Thread } from '../threads/threads.js';
import { placeIncoming } from '../threads/transcript.js';
import { readEvents, turnChannel } from './events.js';

/** Where a turn that steered another one goes on: in the log of that one, after event `after`. */
export interface Absorption {
  readonly by: string;
  readonly after: number;
}

/** The turns of waiting deliveries that want to steer the running turn, oldest first. */
export async function waitingSteers(tx: Tx, threadId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ turn_id: string }>`
    select turn_id from deliveries
    where thread_id = ${threadId} and state = 'waiting' and steer order by seq`.execute(tx);
  return rows.map((row) => row.turn_id);
}

/**
 * Adds the messages that steer the running turn to its transcript, in the transaction that locked the thread. Their
 * turns become part of this one and end with it; their logs say so.
 */
export async function absorbSteers(
  tx: Tx,
  thread: Thread,
  { turnId, steers }: { readonly turnId: string; readonly steers: readonly string[] },
): Promise<Thread> {
  let moved = thread;
  for (const steer of steers) {
    await sql`
      with absorbed as (
        update deliveries set state = 'absorbed' where turn_id = ${steer}
      ), begun as (
        update turns set state = 'running', absorbed_by = ${turnId}, started_at = clock_timestamp(),
          event_seq = event_seq + 1
        where id = ${steer} returning event_seq
      )
      insert into turn_events (turn_id, seq, event)
      select ${steer}, begun.event_seq, jsonb_build_object('kind', 'absorbed', 'by', absorbing.id, 'after', absorbing.event_seq)
      from begun, turns as absorbing where absorbing.id = ${turnId}`.execute(tx);
    hint(tx, turnChannel, steer);
    moved = await placeIncoming(tx, moved, steer);
  }
  return moved;
}

/** Undefined for a turn that is not part of another one. */
export async function findAbsorption(db: Db, turnId: string): Promise<Absorption | undefined> {
  const [first] = await readEvents(db, turnId, 0, 1);
  return first?.event.kind === 'absorbed' ? first.event : undefined;
}

/** What a turn said since it took in another one's messages. */
export async function messagesSince(db: Db, { by, after }: Absorption): Promise<readonly Message[]> {
  const { rows } = await sql<{ id: string }>`
    select event->>'messageId' as id from turn_events
    where turn_id = ${by} and seq > ${after} and event->>'kind' = 'message' order by seq`.execute(db);
  return getMessages(
    db,
    rows.map(({ id }) => id),
  );
}
