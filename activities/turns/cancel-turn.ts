import type { Db } from '../../schema/db/database.js';
import { settleTurn } from '../../schema/turns/settling.js';
import type { Waker } from '../deps.js';

export interface CancelInput {
  readonly threadId: string;
  readonly turnId: string;
}

/** Cancels a turn, where it has not ended, and tells whoever works on it. */
export async function cancelTurn(
  { db, waker }: { readonly db: Db; readonly waker: Waker },
  { threadId, turnId }: CancelInput,
): Promise<void> {
  // The row is written first: whoever still works on the turn finds its writes turned away.
  await settleTurn(db, { turnId, stopReason: 'cancelled' });
  await waker.stop({ threadId, turnId });
}
