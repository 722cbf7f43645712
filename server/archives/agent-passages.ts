import { embedQuery } from '../../adapters/embeddings/query-embeddings.js';
import type { Agent } from '../../core/agents/agents.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import type { FoundPassage, PassageSearch } from '../../schema/archives/archival.js';
import type { NewPassage, Passage } from '../../schema/archives/passages.js';
import { sourceEmbeddings } from '../../schema/files/agent-sources.js';
import type { RouteContext } from '../context.js';

type Archival = Pick<RouteContext, 'db' | 'archival' | 'embeddings'>;

/** Embeds a passage and stores it in the agent's archive. One whose id exists stays unchanged. Throws what the embedder throws. */
export async function insertPassage(
  { db, archival, embeddings }: Archival,
  agent: Agent,
  passage: Omit<NewPassage, 'embedding'>,
): Promise<{ readonly passages: readonly Passage[]; readonly embedding: EmbeddingDescription }> {
  const embedder = embeddings.resolve(agent.embedding);
  const [vector] = await embedder.embed([passage.text]);
  const embedding = vector === undefined ? undefined : { vector, model: embedder.description.handle };
  const passages = await archival.insert(db, agent.id, [{ ...passage, embedding }]);
  return { passages, embedding: embedder.description };
}

/** Searches an agent's archival memory by meaning and by words, best first. Throws what the embedder throws. */
export async function searchPassages(
  { db, archival, embeddings }: Archival,
  agent: Agent,
  search: Omit<PassageSearch, 'agentId' | 'embedding' | 'otherEmbeddings'>,
): Promise<readonly FoundPassage[]> {
  const others = await sourceEmbeddings(db, agent.id);
  const wanted = { text: search.query, own: agent.embedding, others };
  const { embedding, others: otherEmbeddings } = await embedQuery(embeddings, wanted);
  return archival.search(db, { ...search, agentId: agent.id, embedding, otherEmbeddings });
}
