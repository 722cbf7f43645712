import { spokenTexts } from '../../core/spoken-words.js';
import { messageText } from '../../core/messages.js';
import type { Db } from '../../schema/database.js';
import {
  type FoundMessage,
  messagesWithoutEmbedding,
  type RecallRole,
  saveEmbeddings,
  searchMessages,
} from '../../schema/recall.js';
import type { Vectors } from '../../schema/vectors.js';
import type { Embedder } from '../deps.js';
import { readStretch, unreadableDate } from './moments.js';
import { done, listArgument, numberArgument, refused, type SearchingTool, textArgument } from './outcome.js';

const mostResults = 50;
/** Messages that get their vector in one go. */
const batch = 64;
/** Messages that a search waits for, at most; the rest are found by their words, and by the next search. */
const mostEmbedded = 1_024;

/**
 * Gives the agent's messages that have none their vector, the newest first. They get theirs when somebody searches,
 * so that no turn waits for an embedder that it doesn't need; a break loses nothing.
 */
export async function embedRecall(
  { db, vectors }: { db: Db; vectors: Vectors },
  agentId: string,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<void> {
  const model = embedder.description.handle;
  for (let embedded = 0; embedded < mostEmbedded; embedded += batch) {
    const messages = await messagesWithoutEmbedding(db, { agentId, model, limit: batch });
    if (messages.length === 0) return;
    const made = await embedder.embed(
      messages.map((message) => message.text),
      { signal },
    );
    const dimensions = made[0]?.length;
    if (dimensions !== undefined) await vectors.prepare(db, 'messages', dimensions);
    const rows = messages.flatMap(({ id }, index) => {
      const vector = made[index];
      return vector === undefined ? [] : [{ id, vector }];
    });
    await saveEmbeddings(db, model, rows);
  }
}

/** Searches recall by words, meaning, role and date. */
export function conversationSearch(deps: { db: Db; vectors: Vectors }): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect, embedder, signal }) {
      const query = textArgument(effect, 'query').trim();
      const stretch = readStretch(textArgument(effect, 'start_date'), textArgument(effect, 'end_date'));
      if ('unreadable' in stretch) return () => Promise.resolve(refused(unreadableDate(stretch.unreadable)));
      const asked = listArgument(effect, 'roles');
      const roles = asked?.filter(isRecallRole);
      // What tools returned is not in recall, and no role left must not mean every role.
      if (asked !== undefined && roles?.length === 0) return () => Promise.resolve(done(render([])));
      const meant =
        query === '' ? undefined : await vectorOf(deps, { agentId: agent.id, query, embedder, signal });
      return async ({ tx }) => {
        const found = await searchMessages(tx, deps.vectors, {
          agentId: agent.id,
          query,
          embedding: meant,
          roles,
          ...stretch,
          limit: Math.min(mostResults, Math.max(1, numberArgument(effect, 'limit', 5))),
        });
        return done(render(found));
      };
    },
  };
}

async function vectorOf(
  deps: { db: Db; vectors: Vectors },
  input: { agentId: string; query: string; embedder: () => Embedder; signal: AbortSignal },
): Promise<{ vector: readonly number[]; model: string } | undefined> {
  const embedder = input.embedder();
  await embedRecall(deps, input.agentId, embedder, input.signal);
  const [vector] = await embedder.embed([input.query], { signal: input.signal });
  return vector === undefined ? undefined : { vector, model: embedder.description.handle };
}

/** Whether a role is one that speaks in recall. */
export function isRecallRole(role: string): role is RecallRole {
  return role === 'user' || role === 'assistant' || role === 'system';
}

function render(found: readonly FoundMessage[]): string {
  if (found.length === 0) return JSON.stringify({ message: 'No results found.', results: [] });
  const results = found.map(({ message }) => ({
    timestamp: message.createdAt.toISOString(),
    role: message.body.kind,
    content: spokenText(message),
  }));
  return JSON.stringify({ message: `Showing ${results.length} results:`, results });
}

/** What was said: of an agent that speaks by tool, the message it sent. */
export function spokenText({ body }: FoundMessage['message']): string {
  return spokenTexts(body).join('\n') || messageText(body);
}
