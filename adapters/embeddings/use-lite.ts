import { cutIntoBatches } from '../../core/batches.js';
import type { EmbeddingDescription } from '../../core/turns/model.js';
import type { Embedder } from './embedder.js';
import { cutIntoPieces } from './pieces.js';
import { createGate, type Gate } from './smallest-first.js';
import { createEmbeddingThread, type EmbeddingThread } from './thread.js';
import { toUnitLength, toWeightedMean } from './vectors.js';

/** Universal Sentence Encoder lite for English, whose weights come in the package: no key, no network. */
export const useLiteDescription: EmbeddingDescription = {
  handle: 'perdure/use-lite',
  provider: 'perdure',
  model: 'use-lite',
  dimensions: 512,
};

/**
 * What a batch may hold, in pieces and characters: short pieces together cost half of what they cost one by one. Whole
 * pieces take no less time together, and what they take in memory lies there at once: 16 of them some 60 MB more than 2.
 */
const batchLimits = { items: 32, weight: 900 };

/** The local embedder and the thread behind it. Texts beyond 7,200 characters are cut (see `pieces.ts`). */
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
  // By length: the shorter ones of a batch are filled up to its longest.
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
