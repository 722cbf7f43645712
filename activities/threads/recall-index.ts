import type { Db } from '../../schema/db/database.js';
import { countUnseen, messagesWithoutEmbedding, saveEmbeddings } from '../../schema/threads/recall.js';
import { askForIndexing } from '../../schema/threads/recall-indexing.js';
import type { Embedder } from '../deps.js';

/** Messages that are looked up, and stored, in one go: so few that a starved machine embeds them in a chore's time, too. */
const lookedUp = 16;
/** Messages that are counted at most. */
const mostCounted = 10_000;

/**
 * Gives the agent's messages that have none their embedding, the newest first, until all have one or the signal is aborted,
 * whose reason it throws. A break loses at most one batch.
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
 * Asks for the embeddings that a search of the agent's recall has to do without, which a worker makes beside the turns: no
 * search waits for more than its own query's. Returns how many messages have none that are not in the thread's context;
 * what is there, the agent sees.
 */
export async function askForMissing(
  db: Db,
  search: { readonly agentId: string; readonly threadId: string; readonly model: string },
): Promise<number> {
  const [unseen] = await Promise.all([
    countUnseen(db, { ...search, limit: mostCounted }),
    askForIndexing(db, search.agentId),
  ]);
  return unseen;
}

/** What the model is told of messages that have no embedding yet; undefined where all have one. */
export function unindexedNote(left: number): string | undefined {
  if (left === 0) return undefined;
  const count = left < mostCounted ? String(left) : `More than ${mostCounted - 1}`;
  return `${count} older messages are not indexed by meaning yet, and were searched by their words alone. Their indexing goes on; try again in some minutes, or with words that they may hold.`;
}
