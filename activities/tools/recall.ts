import { spokenTexts } from '../../core/threads/spoken-words.js';
import { messageText } from '../../core/threads/messages.js';
import type { Db } from '../../schema/db/database.js';
import { type FoundMessage, type RecallRole, searchMessages } from '../../schema/threads/recall.js';
import type { Embedding } from '../../schema/archives/passages.js';
import type { Vectors } from '../../schema/archives/vectors.js';
import type { Embedder } from '../deps.js';
import { requestMissingEmbeddings, unindexedNote } from '../threads/recall-index.js';
import { readPeriod, unreadableDate } from './search-period.js';
import { done, listArgument, numberArgument, refused, type SearchingTool, textArgument } from './outcome.js';

const mostResults = 50;
/** Searches recall by words, meaning, role and date. */
export function conversationSearch(deps: { db: Db; vectors: Vectors }): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, threadId, effect, embedder, signal }) {
      const query = textArgument(effect, 'query').trim();
      const stretch = readPeriod(textArgument(effect, 'start_date'), textArgument(effect, 'end_date'));
      if ('unreadable' in stretch) return () => Promise.resolve(refused(unreadableDate(stretch.unreadable)));
      const asked = listArgument(effect, 'roles');
      const roles = asked?.filter(isRecallRole);
      // Recall holds no results of tools. If no other role is left, nothing matches.
      if (asked !== undefined && roles?.length === 0) return () => Promise.resolve(done(render([], 0)));
      const meant =
        query === ''
          ? undefined
          : await vectorOf(deps, { agentId: agent.id, threadId, query, embedder, signal });
      return async ({ tx }) => {
        const found = await searchMessages(tx, deps.vectors, {
          agentId: agent.id,
          query,
          embedding: meant?.embedding,
          roles,
          ...stretch,
          searchingTurn: effect.turnId,
          limit: Math.min(mostResults, Math.max(1, numberArgument(effect, 'limit', 5))),
        });
        return done(render(found, meant?.left ?? 0));
      };
    },
  };
}

interface Meant {
  readonly agentId: string;
  readonly threadId: string;
  readonly query: string;
  readonly embedder: () => Embedder;
  readonly signal: AbortSignal;
}

async function vectorOf(
  { db }: { db: Db },
  { agentId, threadId, query, signal, ...input }: Meant,
): Promise<{ readonly embedding: Embedding | undefined; readonly left: number }> {
  const embedder = input.embedder();
  const model = embedder.description.handle;
  const [[vector], left] = await Promise.all([
    embedder.embed([query], { signal }),
    requestMissingEmbeddings(db, { agentId, threadId, model }),
  ]);
  return { embedding: vector === undefined ? undefined : { vector, model }, left };
}

/** Whether recall holds messages of this role. */
export function isRecallRole(role: string): role is RecallRole {
  return role === 'user' || role === 'assistant' || role === 'system';
}

function render(found: readonly FoundMessage[], unindexed: number): string {
  const note = unindexedNote(unindexed);
  const noted = note === undefined ? {} : { note };
  if (found.length === 0) return JSON.stringify({ message: 'No results found.', ...noted, results: [] });
  const results = found.map(({ message }) => ({
    timestamp: message.createdAt.toISOString(),
    role: message.body.kind,
    content: spokenText(message),
  }));
  return JSON.stringify({ message: `Showing ${results.length} results:`, ...noted, results });
}

/** What was said. For an agent that speaks by a tool: the message it sent. */
export function spokenText({ body }: FoundMessage['message']): string {
  return spokenTexts(body).join('\n') || messageText(body);
}
