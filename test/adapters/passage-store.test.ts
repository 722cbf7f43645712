import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openPassageStore } from '../../adapters/archival/open-passage-store.js';
import type { StoreQuery } from '../../core/archives/passage-store.js';
import { findProblem } from '../../server/http/problems.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

function aModule(code: string): string {
  const path = join(makeTemporaryDirectory('store'), 'store.mjs');
  writeFileSync(path, code);
  return path;
}

async function failureOf(act: () => Promise<unknown>): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

/** A store in which every call runs this code. */
const answering = (code: string): string => `export const openPassageStore = () => ({
  name: 'mine', insert: async () => { ${code} }, delete: async () => { ${code} }, search: async () => { ${code} },
  async *list() { ${code} }, count: async () => { ${code} }, close: async () => {},
});`;

describe('a user’s archival store', () => {
  it('[archives.setting] is absent without the setting', async () => {
    expect(await openPassageStore(undefined, {})).toBeUndefined();
  });

  it.each([
    ['exports nothing', 'export const a = 1;', /, which does not export openPassageStore\(env\)\.$/],
    [
      'lacks methods',
      `export const openPassageStore = () => ({ name: 'mine', insert() {} });`,
      /whose openPassageStore\(env\) gave no store: it needs a name and insert, delete, search, list, count, close\.$/,
    ],
    [
      'cannot be opened',
      `export const openPassageStore = () => { throw new RangeError('no disk'); };`,
      /, which can't be opened: RangeError: no disk$/,
    ],
  ])('[archives.setting] is refused at the start if it %s', async (_, code, message) => {
    const failure = await failureOf(() => openPassageStore(aModule(code), {}));

    expect(failure).toMatchObject({
      name: 'SettingsError',
      problems: [{ variable: 'PERDURE_ARCHIVAL_STORE', message: expect.stringMatching(message) }],
    });
  });

  it('[archives.setting] receives the environment and may be a class instance', async () => {
    const path = aModule(`class Mine {
      constructor(env) { this.name = env.NAME; this.kept = 7; }
      async insert() {} async delete() {} async search() { return []; } async *list() {}
      async count() { return this.kept; } async close() {}
    }
    export const openPassageStore = (env) => new Mine(env);`);

    const store = await openPassageStore(path, { NAME: 'a class' });

    expect(store?.name).toBe('a class');
    expect(await store?.count()).toBe(7);
  });

  it('[archives.outage] turns every rejection into an outage without its text', async () => {
    const store = (await openPassageStore(aModule(answering(`throw new Error('secret words');`)), {}))!;
    const nothing = { archiveIds: null, text: '', embedding: null, tags: [], from: null, to: null };
    const query: StoreQuery = { ...nothing, tagMatch: 'any', limit: 1 };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.insert([]),
      () => store.delete([]),
      () => store.search(query),
      () => store.count(),
      () => store.list()[Symbol.asyncIterator]().next(),
    ];

    for (const call of calls) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({
        type: 'Archive.Unavailable',
        retryable: true,
        detail: 'Error: secret words',
        message: expect.not.stringContaining('secret'),
      });
      expect(findProblem(failure)).toMatchObject({ status: 503, detail: (failure as Error).message });
    }
  });
});
