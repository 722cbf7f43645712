import { inTransaction, type Db, waitingAt } from '../db/database.js';
import { ThreadNotFoundError } from './errors.js';
import { lockThread } from './threads.js';

/** Has a thread's prompt rendered anew at its next step: its epoch ends now. Harmless when repeated. Throws ThreadNotFoundError. */
export async function endEpoch(db: Db, threadId: string): Promise<void> {
  await inTransaction(waitingAt(db, threadId), async (tx) => {
    if ((await lockThread(tx, threadId)) === undefined) throw new ThreadNotFoundError(threadId);
    await tx.updateTable('threads').set({ epoch_id: null }).where('id', '=', threadId).execute();
  });
}
