import { join } from 'node:path';
import { openPassageStore } from '../../../adapters/archival/open-passage-store.js';
import type { PassageStore } from '../../../core/archives/passage-store.js';
import { packageFile } from '../../../stack/processes.js';
import { hasChroma, startChroma } from './chroma.js';
import { makeTemporaryDirectory } from '../runtime/temporary.js';

/** Stores of a user's own that can be tried here. */
export const ownStores = hasChroma() ? (['flat file', 'chroma'] as const) : (['flat file'] as const);

export type OwnStore = 'flat file' | 'chroma';

/** A store with its world. `open` gives it anew, as another process would have it. */
export interface StoreUnderTest {
  open(): Promise<PassageStore>;
  close(): Promise<void>;
}

/** An empty store of the kind, opened as a worker opens it. */
export async function aPassageStore(kind: OwnStore): Promise<StoreUnderTest> {
  const chroma = kind === 'chroma' ? await startChroma() : undefined;
  const env =
    chroma === undefined
      ? { PASSAGE_FILE: join(makeTemporaryDirectory('passages'), 'passages.jsonl') }
      : { CHROMA_URL: chroma.url };
  const name = packageFile(`examples/archival-stores/${chroma === undefined ? 'flat-file.ts' : 'chroma.ts'}`);
  const opened: PassageStore[] = [];
  return {
    async open() {
      const store = await openPassageStore(name, env);
      if (store === undefined) throw new Error(`${name} gives no store.`);
      opened.push(store);
      return store;
    },
    async close() {
      for (const store of opened) await store.close();
      await chroma?.stop();
    },
  };
}
