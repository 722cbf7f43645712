import { cpus, totalmem } from 'node:os';
import { type BenchStack, withStack } from './bench-stack.js';
import { print } from './figures.js';
import { benchTurns } from './turns.js';

/** The parts that need a stack, in the order in which they run. */
const parts: Readonly<Record<string, (bench: BenchStack) => Promise<void>>> = {
  turns: benchTurns,
};

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? Object.keys(parts) : wanted;
print(
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
await withStack(async (bench) => {
  for (const name of chosen) await parts[name]?.(bench);
});
process.exit(0);
