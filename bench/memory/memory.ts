import type { BenchStack } from '../bench-stack.js';
import { type Flags, print } from '../figures.js';
import { benchArchive } from './large-archive.js';
import { benchNestedKeys } from './nested-keys.js';
import { benchRecall } from './recall.js';
import { benchSleep } from './sleep.js';
import { benchStorm } from './storm.js';
import { benchTalk } from './talk.js';

/** The scripted model of this benchmark. */
export const memoryModel = 'memory/model.ts';

/** A part of this benchmark. `isFull`: at full length; otherwise shortened. */
export type MemoryPart = (bench: BenchStack, isFull: boolean) => Promise<void>;

const parts: Readonly<Record<string, MemoryPart>> = {
  keys: benchNestedKeys,
  recall: benchRecall,
  archive: benchArchive,
  storm: benchStorm,
  sleep: benchSleep,
  // Last, because embedding its messages would go on during the next part.
  talk: benchTalk,
};

/**
 * Checks the promises of memory over a long life. `--full`: at full length. `--only=keys,talk`: only these parts. A broken
 * promise makes the process end with an error.
 */
export async function benchMemory(bench: BenchStack, flags: Flags): Promise<void> {
  print('\n# Memory\n');
  print(
    'The models are scripted policies that look things up by rules, so nothing here measures the quality of a',
  );
  print('model. It measures whether what was told and stored is found, exactly once, and how soon.');
  const only = flags['only']?.split(',') ?? Object.keys(parts);
  for (const name of only) {
    const part = parts[name];
    if (part === undefined) throw new Error(`Unknown part of memory: ${name}.`);
    const startedAt = performance.now();
    await part(bench, 'full' in flags);
    print(`\n(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
  }
}
