import { type BatchLimits, cutIntoBatches } from '../../core/batches.js';
import { WorldFailure } from '../../core/failures.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import { toModelFailure } from '../models/failure.js';
import { createClient } from '../models/openai-client.js';
import type { Endpoint } from '../models/providers.js';
import { mostTokens, truncateToTokens } from '../tokens.js';
import type { Embedder } from './embedder.js';
import { toUnitLength } from './unit-vectors.js';

/** OpenAI accepts 8,191 tokens per text. The margin allows for other models' tokenizers. */
const longestText = 7_500;
/** OpenAI accepts 300,000 tokens per request. The margin allows for other models' tokenizers. */
const batchLimits: BatchLimits<string> = {
  items: 64,
  weight: 270_000,
  weigh: (text) => Math.min(mostTokens(text), longestText),
};
const timeoutMs = 60_000;

/** Creates an embedder for an endpoint with OpenAI's embeddings API. Texts are cut to 7,500 tokens. */
export function createOpenAiEmbedder(known: EmbeddingDescription, endpoint: Endpoint): Embedder {
  const client = createClient(endpoint);
  let { dimensions } = known;

  const embedBatch = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[][]> => {
    const { data } = await client.embeddings.create(
      // By default the package asks for base64, and misreads servers that don't support it.
      { model: known.model, input: texts.map(toInput), encoding_format: 'float' },
      { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) },
    );
    const vectors = data.toSorted((a, b) => a.index - b.index).map((row) => toUnitLength(row.embedding));
    if (vectors.length !== texts.length) throw incomplete(known.handle);
    dimensions = vectors[0]?.length ?? dimensions;
    return vectors;
  };

  return {
    get description() {
      return { ...known, dimensions };
    },
    async embed(texts, { signal } = {}) {
      const vectors: number[][] = [];
      try {
        for (const batch of cutIntoBatches(texts, batchLimits)) {
          signal?.throwIfAborted();
          vectors.push(...(await embedBatch(batch, signal)));
        }
      } catch (error) {
        signal?.throwIfAborted();
        throw toEmbeddingFailure(error, known.handle, endpoint, texts);
      }
      return vectors;
    },
  };
}

/** OpenAI refuses an empty text. */
function toInput(text: string): string {
  return text.trim() === '' ? '.' : truncateToTokens(text, longestText);
}

function incomplete(handle: string): WorldFailure {
  return new WorldFailure('Embedding.Unavailable', `Model ${handle} left out some of the texts.`, {
    retryable: true,
  });
}

function toEmbeddingFailure(
  error: unknown,
  handle: string,
  endpoint: Endpoint,
  texts: readonly string[],
): WorldFailure {
  const failure = toModelFailure(error, {
    handle,
    keyVariable: endpoint.provider.keyVariable,
    secrets: endpoint.apiKey === undefined ? [] : [endpoint.apiKey],
    sent: texts,
  });
  const { message, retryable, retryAfterMs, status, detail } = failure;
  return new WorldFailure(retryable ? 'Embedding.Unavailable' : 'Embedding.Refused', message, {
    retryable,
    retryAfterMs,
    status,
    detail,
  });
}
