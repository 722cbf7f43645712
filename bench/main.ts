import { cpus, totalmem } from 'node:os';
import { benchAges } from './ages.js';
import { type BenchStack, withStack } from './bench-stack.js';
import { type Flags, print } from './figures.js';
import { benchHints } from './hints.js';
import { benchHistory } from './history.js';
import { benchLoad } from './load.js';
import { benchIngest } from './ingest.js';
import { benchLost } from './lost.js';
import { benchMemory, memoryModel } from './memory/memory.js';
import { benchParked } from './parked.js';
import { benchPrefix } from './prefix.js';
import { benchRecovery } from './recovery.js';
import { benchScale } from './scale.js';
import { benchSchedules } from './schedules.js';
import { benchSearch } from './search.js';
import { benchSharedBlock } from './shared-block.js';
import { benchStart } from './start.js';
import { benchTools } from './tools.js';
import { benchTurns } from './turns.js';

/** The parts that share a stack, in their order. `tools` needs no stack; `memory` and `start` start their own. */
const parts: Readonly<Record<string, (bench: BenchStack, flags: Flags) => Promise<void>>> = {
  turns: benchTurns,
  history: benchHistory,
  prefix: benchPrefix,
  shared: benchSharedBlock,
  search: benchSearch,
  ingest: benchIngest,
  schedules: benchSchedules,
  parked: benchParked,
  recovery: benchRecovery,
  hints: benchHints,
  ages: benchAges,
  load: benchLoad,
  scale: benchScale,
  lost: benchLost,
};

/** Parts that take so long that they only run by name. */
const long = ['scale', 'lost', 'memory'];

async function main(args: readonly string[]): Promise<void> {
  const asked = args.filter((arg) => !arg.startsWith('--'));
  const flags = Object.fromEntries(
    args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2).split('=', 2) as [string, string]),
  );
  const names = [...Object.keys(parts), 'memory', 'tools', 'start'];
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    print(`Unknown part: ${unknown.join(', ')}. Usage: npm run bench -- [${names.join('|')}] …`);
    process.exit(1);
  }
  const wanted = asked.length === 0 ? names.filter((name) => !long.includes(name)) : asked;
  const cores = cpus();
  print(
    `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  );
  const sharing = Object.entries(parts).filter(([name]) => wanted.includes(name));
  if (sharing.length > 0) {
    await withStack(async (bench) => {
      for (const [, part] of sharing) await part(bench, flags);
    });
  }
  if (wanted.includes('memory')) await withStack((bench) => benchMemory(bench, flags), memoryModel);
  if (wanted.includes('tools')) await benchTools();
  if (wanted.includes('start')) await benchStart();
  process.exit(process.exitCode ?? 0);
}

await main(process.argv.slice(2));
