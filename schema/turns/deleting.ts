import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { lockThread } from '../threads/threads.js';
import { TurnNeededError } from './errors.js';
import { requireTurn } from './turns.js';

/** What may still need an ended turn. The first one found is reported. */
const needs = ['awaited', 'talk', 'budgeted', 'unreported'] as const;

type Need = (typeof needs)[number];

/**
 * Deletes an ended turn with its steps, their usage, its log and its effects. Its messages stay in the transcript,
 * and its calls that were decided in a later turn become that turn's. Throws TurnNotFoundError, and TurnNeededError
 * where something still needs it.
 */
export async function deleteTurn(db: Db, turnId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { threadId } = await requireTurn(tx, turnId);
    // Locks the thread first, as every writer does, so nothing of the turn changes meanwhile.
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
    await handOn(tx, turnId);
    await tx.deleteFrom('turns').where('id', '=', turnId).execute();
  });
}

/**
 * Moves steps whose calls were decided in later turns to the last of those turns, before its own steps and without
 * their usage. Calls refer to their step, and an approved one may be running.
 */
async function handOn(tx: Tx, turnId: string): Promise<void> {
  await sql`
    with heirs as (
      select distinct on (s.id) s.id as step_id, e.turn_id
      from steps s join effects e on e.step_id = s.id join turns t on t.id = e.turn_id
      where s.turn_id = ${turnId} and e.turn_id <> ${turnId}
      order by s.id, t.created_at desc
    )
    update steps set turn_id = heirs.turn_id, answered_at = null, prompt_tokens = 0, completion_tokens = 0,
      total_tokens = 0, cached_tokens = 0, reasoning_tokens = 0,
      index = (select least(0, min(own.index)) - 1 from steps own where own.turn_id = heirs.turn_id)
    from heirs where steps.id = heirs.step_id`.execute(tx);
}
