import { describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../adapters/embeddings/embedder.js';
import { embedQuery } from '../../adapters/embeddings/query-embeddings.js';
import { WorldFailure } from '../../core/failures.js';

const failing: Readonly<Record<string, WorldFailure>> = {
  'gone/model': new WorldFailure('Model.NotConfigured', 'No key.', { retryable: false }),
  'away/model': new WorldFailure('Embedding.Unavailable', 'Away.', { retryable: true }),
};

const embeddings = {
  resolve: (handle: string): Embedder => ({
    description: { handle, provider: 'test', model: handle, dimensions: 1 },
    embed: (texts) => {
      const failure = failing[handle];
      return failure === undefined
        ? Promise.resolve(texts.map(() => [handle.length]))
        : Promise.reject(failure);
    },
  }),
};

describe('[files.search] the embeddings of a query', () => {
  it('include one per model, except models that are gone', async () => {
    const query = { text: 'x', own: 'a/b', others: ['a/b', 'long/one', 'gone/model', 'long/one'] };

    expect(await embedQuery(embeddings, query)).toEqual({
      embedding: { vector: [3], model: 'a/b' },
      others: [{ vector: [8], model: 'long/one' }],
    });
  });

  it('are empty for an empty query, and fail while a model is unavailable', async () => {
    expect(await embedQuery(embeddings, { text: ' ', own: 'gone/model', others: [] })).toEqual({
      embedding: undefined,
      others: [],
    });
    await expect(embedQuery(embeddings, { text: 'x', own: 'gone/model', others: [] })).rejects.toBe(
      failing['gone/model'],
    );
    await expect(embedQuery(embeddings, { text: 'x', own: 'a/b', others: ['away/model'] })).rejects.toBe(
      failing['away/model'],
    );
  });
});
