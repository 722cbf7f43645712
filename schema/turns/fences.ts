import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { TurnOptions } from './records.js';

/** The turn and the execution that writes for it: what every write of an activity is fenced by. */
export interface Fence {
  readonly turnId: string;
  readonly executionId: string;
}

/**
 * Locks the turn's row until the transaction ends. Returns the turn's options; undefined where the turn does not run
 * under this execution any more.
 */
export async function holdFence(db: Db | Tx, fence: Fence): Promise<TurnOptions | undefined> {
  const { rows } = await sql<{ options: TurnOptions }>`
    select options from turns
    where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
    for no key update`.execute(db);
  return rows[0]?.options;
}
