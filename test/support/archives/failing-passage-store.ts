import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { PassageStore } from '../../../core/archives/passage-store.js';
import { openPassageStore as openFlatFile } from '../../../examples/archival-stores/flat-file.js';

/** The flat file, which is away for one search whenever there is a file at `AWAY`: it throws the words of that. */
export async function openPassageStore(env: NodeJS.ProcessEnv): Promise<PassageStore> {
  const { AWAY: away = '' } = env;
  const file = await openFlatFile(env);
  return {
    ...file,
    async search(query) {
      if (existsSync(away)) {
        const words = readFileSync(away, 'utf8');
        rmSync(away);
        throw new Error(words);
      }
      return file.search(query);
    },
  };
}
