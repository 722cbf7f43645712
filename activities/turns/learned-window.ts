import { windowAfterRefusal } from '../../core/threads/context-window.js';
import { type Db, inTransaction } from '../../schema/db/database.js';
import { type Fence, holdFence } from '../../schema/turns/fences.js';
import { largestPrompt } from '../../schema/turns/steps.js';
import { lockThread, setLearnedWindow } from '../../schema/threads/threads.js';
import { fenced } from '../failures.js';

/** Records that a model refused a request of this many tokens as too large. Throws Turn.Fenced. */
export async function learnFromRefusal(
  db: Db,
  fence: Fence,
  refusal: { readonly threadId: string; readonly model: string; readonly tokens: number },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [thread, held] = await Promise.all([lockThread(tx, refusal.threadId), holdFence(tx, fence)]);
    if (thread === undefined || held === undefined) throw fenced();
    const { model } = refusal;
    const largestTaken = await largestPrompt(tx, { agentId: thread.agentId, model });
    const tokens = windowAfterRefusal({ refused: refusal.tokens, largestTaken });
    const known = thread.learned?.model === model ? thread.learned.tokens : Infinity;
    await setLearnedWindow(tx, thread.id, { model, tokens: Math.min(known, tokens) });
  });
}
