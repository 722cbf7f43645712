import type { Db } from '../../schema/db/database.js';
import { settleTurn } from '../../schema/turns/settling.js';
import type { Waker } from '../deps.js';

export interface CancelInput {
  readonly threadId: string;
  readonly turnId: string;
}

/** Cancels a turn that has not ended, and tells its execution. */
export async function cancelTurn(
  { db, waker }: { readonly db: Db; readonly waker: Waker },
  { threadId, turnId }: CancelInput,
): Promise<void> {
  // The row comes first: from now on, the execution's writes are refused.
  await settleTurn(db, { turnId, stopReason: 'cancelled' });
  await waker.stop({ threadId, turnId });
}
