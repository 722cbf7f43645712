import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import type { TurnOptions } from './records.js';

/** A turn and the execution that may write for it. Every write of an activity checks it. */
export interface Fence {
  readonly turnId: string;
  readonly executionId: string;
}

/**
 * Locks the turn's row until the transaction ends. Returns the turn's options; undefined where the turn no longer
 * runs under this execution.
 */
export async function holdFence(db: Db | Tx, fence: Fence): Promise<TurnOptions | undefined> {
  const { rows } = await sql<{ options: TurnOptions }>`
    select options from turns
    where id = ${fence.turnId} and state = 'running' and execution_id = ${fence.executionId}
    for no key update`.execute(db);
  return rows[0]?.options;
}
