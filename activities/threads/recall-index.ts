import type { Db } from '../../schema/db/database.js';
import {
  countWithoutEmbedding,
  messagesWithoutEmbedding,
  saveEmbeddings,
} from '../../schema/threads/recall.js';
import { askForIndexing } from '../../schema/threads/recall-indexing.js';
import type { Embedder } from '../deps.js';

/** Messages that are looked up in one go. */
const lookedUp = 64;
/** What a search gives the newest messages to get their embeddings, in ms. */
const searchTimeMs = 400;
/** So few are embedded at once there, that the time is kept. */
const batchOfSearch = 4;
/** Messages that are counted at most. */
const mostCounted = 10_000;

interface RecallToIndex {
  readonly agentId: string;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
}

/**
 * Gives the agent's messages that have none their embedding, the newest first, until all have one or the signal is aborted,
 * whose reason it throws. A break loses at most one batch.
 */
export async function indexRecall(
  db: Db,
  { agentId, embedder, signal, batch = lookedUp }: RecallToIndex & { readonly batch?: number },
): Promise<void> {
  const model = embedder.description.handle;
  for (;;) {
    const found = await messagesWithoutEmbedding(db, { agentId, model, limit: lookedUp });
    if (found.length === 0) return;
    for (let start = 0; start < found.length; start += batch) {
      signal.throwIfAborted();
      const messages = found.slice(start, start + batch);
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
}

/**
 * Prepares a search: in a moment's time the newest messages get their embeddings, and the rest is asked for, which a worker
 * does beside the turns. Nothing is embedded for agents that never search. Returns how many messages still wait.
 */
export async function indexForSearch(db: Db, { agentId, embedder, signal }: RecallToIndex): Promise<number> {
  const time = AbortSignal.timeout(searchTimeMs);
  try {
    const both = AbortSignal.any([signal, time]);
    await indexRecall(db, { agentId, embedder, signal: both, batch: batchOfSearch });
    return 0;
  } catch (error) {
    signal.throwIfAborted();
    if (!time.aborted) throw error;
  }
  const wanted = { agentId, model: embedder.description.handle, limit: mostCounted };
  const [left] = await Promise.all([countWithoutEmbedding(db, wanted), askForIndexing(db, agentId)]);
  return left;
}

/** What the model is told of messages that have no embedding yet; undefined where all have one. */
export function unindexedNote(left: number): string | undefined {
  if (left === 0) return undefined;
  const count = left < mostCounted ? String(left) : `More than ${mostCounted - 1}`;
  return `${count} older messages are not indexed by meaning yet, and were searched by their words alone. Their indexing goes on; try again in some minutes, or with words that they may hold.`;
}
