import { WorldFailure } from '../../core/failures.js';
import type { Embedder } from './embedder.js';

/** A vector and the handle of the model that made it. */
interface QueryEmbedding {
  readonly vector: readonly number[];
  readonly model: string;
}

/** A query, embedded for passages of several models. */
export interface EmbeddedQuery {
  /** By the agent's own model; undefined for an empty query. */
  readonly embedding: QueryEmbedding | undefined;
  /** By other models that embedded sources of the agent. */
  readonly others: readonly QueryEmbedding[];
}

/**
 * Embeds a query by an agent's own model and by those of its sources. A source's model that refuses permanently, or
 * is no longer configured, is left out: its passages are found by words. Throws WorldFailure as `Embedder.embed`
 * does.
 */
export async function embedQuery(
  embeddings: { resolve(handle: string): Pick<Embedder, 'description' | 'embed'> },
  query: { readonly text: string; readonly own: string; readonly others: readonly string[] },
  options: { readonly signal?: AbortSignal } = {},
): Promise<EmbeddedQuery> {
  if (query.text.trim() === '') return { embedding: undefined, others: [] };
  const embedBy = async (handle: string): Promise<QueryEmbedding | undefined> => {
    const model = embeddings.resolve(handle);
    const [vector] = await model.embed([query.text], options);
    return vector === undefined ? undefined : { vector, model: model.description.handle };
  };
  const embedding = await embedBy(query.own);
  const others: QueryEmbedding[] = [];
  for (const handle of new Set(query.others)) {
    if (handle === embedding?.model) continue;
    const other = await embedBy(handle).catch(unlessRefused);
    if (other !== undefined) others.push(other);
  }
  return { embedding, others };
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof WorldFailure) || error.retryable) throw error;
}
