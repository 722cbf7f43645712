import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { PassageStore } from '../../../core/archives/passage-store.js';
import { openPassageStore as openFlatFile } from '../../../examples/archival-stores/flat-file.js';

const pollMs = 25;

/**
 * The flat file, which has kept each batch of passages and then says so late: not before there is a file at `GATE`. It
 * writes one at `REACHED` as it waits.
 */
export async function openPassageStore(env: NodeJS.ProcessEnv): Promise<PassageStore> {
  const { GATE: gate = '', REACHED: reached = '' } = env;
  const file = await openFlatFile(env);
  return {
    ...file,
    async insert(passages) {
      await file.insert(passages);
      writeFileSync(reached, '');
      while (!existsSync(gate)) await setTimeout(pollMs);
    },
  };
}
