import type { StopReason } from '../core/stop-reasons.js';
import type { Db, Tx } from './database.js';
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
  const row = await db
    .selectFrom('turns')
    .select('options')
    .where('id', '=', fence.turnId)
    .where('state', '=', 'running')
    .where('execution_id', '=', fence.executionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.options;
}

/** How a turn ended that ran under this execution to its end; undefined where it did not, or has not ended. */
export async function closedAs(db: Db | Tx, fence: Fence): Promise<StopReason | undefined> {
  const row = await db
    .selectFrom('turns')
    .select('stop_reason')
    .where('id', '=', fence.turnId)
    .where('execution_id', '=', fence.executionId)
    .executeTakeFirst();
  return row?.stop_reason ?? undefined;
}
