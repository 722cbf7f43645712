import { windowAfterRefusal } from '../core/window.js';
import { type Db, inTransaction, type Tx } from '../schema/database.js';
import { type Fence, holdFence } from '../schema/fences.js';
import { largestPrompt } from '../schema/steps.js';
import { lockThread, setLearnedWindow } from '../schema/threads.js';
import { fenced } from './failures.js';

/** Writes down that a model refused a request of so many tokens as too large. Throws Turn.Fenced. */
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

/**
 * Writes down that a model took in a prompt of so many tokens, where its window was learned to be smaller. The
 * caller's transaction holds the thread and the fence.
 */
export async function learnFromAnswer(
  tx: Tx,
  answer: { readonly threadId: string; readonly model: string; readonly tokens: number },
): Promise<void> {
  const { threadId, model, tokens } = answer;
  const thread = await lockThread(tx, threadId);
  if (thread?.learned?.model !== model || thread.learned.tokens >= tokens) return;
  await setLearnedWindow(tx, threadId, { model, tokens });
}
