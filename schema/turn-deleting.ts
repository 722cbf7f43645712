import { sql } from 'kysely';
import { type Db, inTransaction } from './database.js';
import { lockThread } from './threads.js';
import { TurnNeededError } from './turn-errors.js';
import { requireTurn } from './turns.js';

/** What may stand on a turn that has ended, in the order in which it is told. */
const needs = ['awaited', 'talk', 'budgeted', 'unreported'] as const;

type Need = (typeof needs)[number];

/**
 * Deletes an ended turn with its steps, their usage, its log and what its tools are remembered to have done. The
 * messages of it stay where they are in the transcript. Throws TurnNotFoundError, and TurnNeededError where something
 * still stands on it.
 */
export async function deleteTurn(db: Db, turnId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { threadId } = await requireTurn(tx, turnId);
    // Thread first, as every writer does: with it locked nothing of the turn moves.
    await lockThread(tx, threadId);
    const turn = await requireTurn(tx, turnId);
    if (turn.completedAt === null) throw new TurnNeededError(turnId, 'unfinished');
    const found = await sql<Record<Need, boolean>>`select
      exists (select from effects where turn_id = ${turnId} and state = 'awaiting') as awaited,
      exists (select from talk_turns where turn_id = ${turnId}) as talk,
      exists (select from token_reservations join steps on steps.id = token_reservations.step_id
        where steps.turn_id = ${turnId}) as budgeted,
      exists (select from turn_callbacks where turn_id = ${turnId} and state = 'waiting') as unreported`.execute(
      tx,
    );
    const need = needs.find((one) => found.rows[0]?.[one] === true);
    if (need !== undefined) throw new TurnNeededError(turnId, need);
    await tx.deleteFrom('turns').where('id', '=', turnId).execute();
  });
}
