import type { EmbeddingDescription } from '../../core/turns/model.js';
import type { Embedder } from './embedder.js';
import { cutIntoPieces } from './pieces.js';
import { createEmbeddingThread } from './thread.js';
import { toUnitLength, toWeightedMean } from './vectors.js';

/** Universal Sentence Encoder lite for English, whose weights come in the package: no key, no network. */
export const useLiteDescription: EmbeddingDescription = {
  handle: 'perdure/use-lite',
  provider: 'perdure',
  model: 'use-lite',
  dimensions: 512,
};

/**
 * A batch's attention is all in memory at once: 16 pieces take some 60 MB more than 2, and no less time. Small, too, so that
 * another caller's question need not wait long between two batches.
 */
const batchSize = 2;

/** The local embedder and the thread behind it. Texts beyond 16,000 characters are cut (see `pieces.ts`). */
export function createUseLite(): Embedder & { close(): Promise<void> } {
  const thread = createEmbeddingThread(new URL('./use-lite-thread.mjs', import.meta.url));
  return {
    description: useLiteDescription,
    async embed(texts, { signal } = {}) {
      const pieces = texts.map(cutIntoPieces);
      const vectors = await embedInBatches(pieces.flat(), (batch) => thread.embed(batch), signal);
      let next = 0;
      return pieces.map((own) => {
        const ownVectors = vectors.slice(next, (next += own.length));
        return own.length === 1
          ? toUnitLength(ownVectors[0] ?? [])
          : toWeightedMean(
              ownVectors,
              own.map((piece) => piece.length),
            );
      });
    },
    close: () => thread.close(),
  };
}

async function embedInBatches(
  texts: readonly string[],
  embed: (batch: readonly string[]) => Promise<number[][]>,
  signal: AbortSignal | undefined,
): Promise<number[][]> {
  const vectors: number[][] = [];
  for (let start = 0; start < texts.length; start += batchSize) {
    signal?.throwIfAborted();
    vectors.push(...(await embed(texts.slice(start, start + batchSize))));
  }
  signal?.throwIfAborted();
  return vectors;
}
