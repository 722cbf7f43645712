import type { Message } from '../../core/threads/messages.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { type RecallSearch, searchMessages } from '../../schema/threads/recall.js';
import type { RouteContext } from '../context.js';

/** A search of what was said. */
export interface MessageSearch extends Omit<RecallSearch, 'embedding'> {
  /** By words, by meaning, or by both. By meaning only within one agent, whose messages have vectors of one model. */
  readonly way: 'words' | 'meaning' | 'both';
}

/** The messages that a search finds, best first. Throws AgentNotFoundError and what the embedder throws. */
export async function findMessages(
  context: Pick<RouteContext, 'db' | 'vectors' | 'embeddings'>,
  { way, ...search }: MessageSearch,
): Promise<readonly Message[]> {
  const embedding = await embeddingOf(context, { way, ...search });
  const recall = { ...search, query: way === 'meaning' ? '' : search.query };
  const found = await searchMessages(
    context.db,
    context.vectors,
    embedding === undefined ? recall : { ...recall, embedding },
  );
  return found.map(({ message }) => message);
}

async function embeddingOf(
  { db, embeddings }: Pick<RouteContext, 'db' | 'embeddings'>,
  { agentId, query, way }: MessageSearch,
): Promise<RecallSearch['embedding']> {
  if (agentId === undefined) return undefined;
  const agent = await requireAgent(db, agentId);
  // Vectors are of texts: there are none like an empty one.
  if (way === 'words' || query.trim() === '') return undefined;
  const embedder = embeddings.resolve(agent.embedding);
  const [vector] = await embedder.embed([query]);
  return vector === undefined ? undefined : { vector, model: embedder.description.handle };
}
