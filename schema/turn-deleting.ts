import { sql } from 'kysely';
import { type Db, inTransaction } from './database.js';
import { lockThread } from './threads.js';
import { TurnNeededError } from './turn-errors.js';
import { requireTurn } from './turns.js';

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
    const found = await sql<{
      isAwaited: boolean;
      isTalk: boolean;
      isBudgeted: boolean;
      isUnreported: boolean;
    }>`select
      exists (select from effects where turn_id = ${turnId} and state = 'awaiting') as "isAwaited",
      exists (select from talk_turns where turn_id = ${turnId}) as "isTalk",
      exists (select from token_reservations join steps on steps.id = token_reservations.step_id
        where steps.turn_id = ${turnId}) as "isBudgeted",
      exists (select from turn_callbacks where turn_id = ${turnId} and state = 'waiting') as "isUnreported"`.execute(
      tx,
    );
    const {
      isAwaited = false,
      isTalk = false,
      isBudgeted = false,
      isUnreported = false,
    } = found.rows[0] ?? {};
    if (isAwaited) throw new TurnNeededError(turnId, 'awaited');
    if (isTalk) throw new TurnNeededError(turnId, 'talk');
    if (isBudgeted) throw new TurnNeededError(turnId, 'budgeted');
    if (isUnreported) throw new TurnNeededError(turnId, 'unreported');
    await tx.deleteFrom('turns').where('id', '=', turnId).execute();
  });
}
