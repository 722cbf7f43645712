import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.js';

/** Records which step's calls wait for an approval in a thread, if any: of this turn or an earlier one. */
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

/** The condition that a thread's delivery may be claimed. While calls wait, only approvals and resets may. */
export const isTakeable = sql<boolean>`(th.awaiting_step is null or d.kind in ('approval', 'reset'))`;
