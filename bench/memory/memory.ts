import type { BenchStack } from '../bench-stack.js';
import { type Flags, print } from '../figures.js';
import { benchArchive } from './archive.js';
import { benchNestedKeys } from './nested-keys.js';
import { benchRecall } from './recall.js';
import { benchSleep } from './sleep.js';
import { benchStorm } from './storm.js';
import { benchTalk } from './talk.js';

/** The program whose model answers here. */
export const memoryModel = 'memory/model.ts';

/** A part of this benchmark. `isFull`: at its whole length, where the usual one is shortened. */
export type MemoryPart = (bench: BenchStack, isFull: boolean) => Promise<void>;

const parts: Readonly<Record<string, MemoryPart>> = {
  keys: benchNestedKeys,
  recall: benchRecall,
  archive: benchArchive,
  storm: benchStorm,
  sleep: benchSleep,
  // At the end: what its agents leave to be embedded would stand beside the others.
  talk: benchTalk,
};

/**
 * Whether memory keeps what it promises over a long life. `--full`: at full length, `--only=keys,talk`: some parts. A part
 * whose promise was broken makes the process end with an error.
 */
export async function benchMemory(bench: BenchStack, flags: Flags): Promise<void> {
  print('\n# Memory\n');
  print(
    'The models here are scripted policies, which look things up by rules: nothing below measures the quality',
  );
  print('of a model. It measures whether what was told, stored and asked for is there, once, and how soon.');
  const only = flags['only']?.split(',') ?? Object.keys(parts);
  for (const name of only) {
    const part = parts[name];
    if (part === undefined) throw new Error(`There is no part ${name} of memory.`);
    const startedAt = performance.now();
    await part(bench, 'full' in flags);
    print(`\n(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
  }
}
