import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.js';

/** Writes down which step's calls wait for an approval in a thread, if any do: of this turn, or those before it. */
export async function keepAwaiting(
  tx: Tx,
  threadId: string | RawBuilder<string>,
  turnId: string | null = null,
): Promise<void> {
  await sql`
    update threads set awaiting_step = (
      select e.step_id from effects e
      where e.state = 'awaiting' and (e.turn_id = ${turnId} or e.step_id = threads.awaiting_step) limit 1)
    where id = ${threadId}`.execute(tx);
}

/** Whether a delivery may be taken from its thread's queue: while calls wait, approvals, and what forgets them. */
export const isTakeable = sql<boolean>`(th.awaiting_step is null or d.kind in ('approval', 'reset'))`;
