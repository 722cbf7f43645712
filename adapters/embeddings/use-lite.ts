import { cutIntoBatches } from '../../core/batches.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import type { Embedder } from './embedder.js';
import { cutIntoPieces } from './pieces.js';
import { createGate, type Gate } from './smallest-first.js';
import { createEmbeddingThread, type EmbeddingThread } from './embedding-thread.js';
import { toUnitLength, toWeightedMean } from './unit-vectors.js';

/** Universal Sentence Encoder lite for English. Its weights are in the package, so it needs no key and no network. */
export const useLiteDescription: EmbeddingDescription = {
  handle: 'perdure/use-lite',
  provider: 'perdure',
  model: 'use-lite',
  dimensions: 512,
};

/**
 * The limits of a batch, in pieces and characters. Short pieces together take half the time of single ones. Long
 * pieces gain no time and need memory at once: 16 of them some 60 MB more than 2.
 */
const batchLimits = { items: 32, weight: 900 };

/** Creates the local embedder and its thread. Texts beyond 7,200 characters are cut (see `pieces.ts`). */
export function createUseLite(): Embedder & { close(): Promise<void> } {
  const thread = createEmbeddingThread(new URL('./use-lite-thread.mjs', import.meta.url));
  const gate = createGate();
  return {
    description: useLiteDescription,
    async embed(texts, { signal } = {}) {
      const pieces = texts.map(cutIntoPieces);
      const vectors = await embedInBatches(pieces.flat(), { thread, gate, signal });
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

interface Means {
  readonly thread: EmbeddingThread;
  readonly gate: Gate;
  readonly signal: AbortSignal | undefined;
}

async function embedInBatches(
  pieces: readonly string[],
  { thread, gate, signal }: Means,
): Promise<number[][]> {
  const vectors = new Array<number[]>(pieces.length);
  // Sorted by length, because the shorter pieces of a batch are padded to its longest.
  const byLength = pieces
    .map((text, place) => ({ text, place }))
    .sort((a, b) => a.text.length - b.text.length);
  let left = pieces.length;
  for (const batch of cutIntoBatches(byLength, { ...batchLimits, weigh: ({ text }) => text.length })) {
    const made = await gate.run(left, () => {
      signal?.throwIfAborted();
      return thread.embed(batch.map(({ text }) => text));
    });
    batch.forEach(({ place }, index) => (vectors[place] = made[index] ?? []));
    left -= batch.length;
  }
  signal?.throwIfAborted();
  return vectors;
}
