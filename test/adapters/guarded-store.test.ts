import { describe, expect, it } from '@jest/globals';
import { guardStore } from '../../adapters/archival/guarded-store.js';
import type { PassageStore, StoreQuery } from '../../core/archives/passage-store.js';

const never = (): Promise<never> => new Promise(() => undefined);

const hanging: PassageStore = {
  name: 'hanging',
  insert: never,
  delete: never,
  search: never,
  // eslint-disable-next-line require-yield -- it hangs before the first passage
  async *list() {
    await never();
  },
  count: never,
  close: never,
};

const query: StoreQuery = {
  ...{ archiveIds: null, text: '', embedding: null, tags: [], from: null, to: null },
  tagMatch: 'any',
  limit: 1,
};

describe('a user’s archival store that hangs', () => {
  const store = guardStore(hanging, 20);

  it.each([
    ['insert', () => store.insert([])],
    ['delete', () => store.delete([])],
    ['search', () => store.search(query)],
    ['list', () => store.list()[Symbol.asyncIterator]().next()],
    ['count', () => store.count()],
    ['close', () => store.close()],
  ])('[archives.hanging] is reported unavailable when %s takes too long', async (_, call) => {
    await expect(call()).rejects.toMatchObject({
      type: 'Archive.Unavailable',
      retryable: true,
      detail: 'Error: It gave no answer in 20 ms.',
    });
  });
});
