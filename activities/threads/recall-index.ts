import type { Db } from '../../schema/db/database.js';
import { countUnseen, messagesWithoutEmbedding, saveEmbeddings } from '../../schema/threads/recall.js';
import { requestIndexing } from '../../schema/threads/recall-indexing.js';
import type { Embedder } from '../deps.js';

/** Messages per batch: few enough that even a starved machine embeds them within a chore's time. */
const lookedUp = 16;
/** The most messages counted. */
const mostCounted = 10_000;

/**
 * Embeds the agent's messages that have no embedding, newest first, until none is left or the signal is aborted,
 * whose reason it throws. A crash loses at most one batch.
 */
export async function indexRecall(
  db: Db,
  {
    agentId,
    embedder,
    signal,
  }: { readonly agentId: string; readonly embedder: Embedder; readonly signal: AbortSignal },
): Promise<void> {
  const model = embedder.description.handle;
  for (;;) {
    signal.throwIfAborted();
    const messages = await messagesWithoutEmbedding(db, { agentId, model, limit: lookedUp });
    if (messages.length === 0) return;
    const made = await embedder.embed(
      messages.map((message) => message.text),
      { signal },
    );
    const rows = messages.flatMap(({ id }, index) => {
      const vector = made[index];
      return vector === undefined ? [] : [{ id, vector }];
    });
    await saveEmbeddings(db, model, rows);
  }
}

/**
 * Requests the embeddings that are missing for searches of the agent's recall. A worker makes them while turns run,
 * so a search only waits for its own query's. Returns how many messages outside the thread's context have none.
 */
export async function requestMissingEmbeddings(
  db: Db,
  search: { readonly agentId: string; readonly threadId: string; readonly model: string },
): Promise<number> {
  const [unseen] = await Promise.all([
    countUnseen(db, { ...search, limit: mostCounted }),
    requestIndexing(db, search.agentId),
  ]);
  return unseen;
}

/** Tells the model about messages without an embedding; undefined where there are none. */
export function unindexedNote(left: number): string | undefined {
  if (left === 0) return undefined;
  const count = left < mostCounted ? String(left) : `More than ${mostCounted - 1}`;
  return `${count} older messages are not indexed by meaning yet and were only searched by words. Try again in some minutes, or with words that they may contain.`;
}
