import { inTransaction, type Db, waitingAt } from '../db/database.js';
import { ThreadNotFoundError } from './errors.js';
import { lockThread } from './threads.js';

/**
 * Ends a thread's epoch, so that its next step compiles the prompt again. Harmless when repeated. Throws
 * ThreadNotFoundError.
 */
export async function endEpoch(db: Db, threadId: string): Promise<void> {
  await inTransaction(waitingAt(db, threadId), async (tx) => {
    if ((await lockThread(tx, threadId)) === undefined) throw new ThreadNotFoundError(threadId);
    await tx.updateTable('threads').set({ epoch_id: null }).where('id', '=', threadId).execute();
  });
}
