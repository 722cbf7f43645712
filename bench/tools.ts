import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createToolRunner, type ToolRunner } from '../adapters/custom-tools/tool-runner.js';
import { findPython, type Python } from '../adapters/python/interpreter.js';
import { openSandbox } from '../adapters/sandbox/open-sandbox.js';
import type { SandboxMode } from '../adapters/sandbox/sandbox.js';
import { judged, print, shown, summarise, table } from './figures.js';

const rounds = 40;
const aimMs = 60;

/**
 * Measures how much longer a call of a Python tool that returns at once takes than a start of `python3 -I` that does
 * nothing. Each round measures both.
 */
export async function benchTools(): Promise<void> {
  const python = await findPython();
  if (python === undefined) throw new Error('This part needs Python 3.9 or newer.');
  const modes = ['strict', 'process'] as const satisfies readonly SandboxMode[];
  const runners = await Promise.all(modes.map((mode) => createRunner(mode, python)));
  const bare: number[] = [];
  const calls: number[][] = modes.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await timed(() => promisify(execFile)(python.executable, ['-I', '-c', 'pass'])));
    for (const [index, runner] of runners.entries()) calls[index]?.push(await timed(() => callOnce(runner)));
  }
  const floor = summarise(bare);
  print(`\n## Tools: the start of a Python tool, ms over ${rounds} calls\n`);
  const head = ['start', 'p50', 'p95', 'p50 above the interpreter'];
  const row = (name: string, times: readonly number[]): string[] => {
    const { p50, p95 } = summarise(times);
    return [name, shown(p50), shown(p95), judged(p50 - floor.p50, aimMs, 'lower')];
  };
  const control = ['python3 -I', shown(floor.p50), shown(floor.p95), ''];
  print(
    table([head, control, row('in bubblewrap', calls[0] ?? []), row('as a plain process', calls[1] ?? [])]),
  );
}

async function createRunner(mode: SandboxMode, python: Python): Promise<ToolRunner> {
  const sandbox = await openSandbox({ mode, warn: () => undefined });
  return createToolRunner({
    sandbox: () => Promise.resolve(sandbox),
    python: () => Promise.resolve(python),
    environments: () => ({ prepare: () => Promise.reject(new Error('This tool needs no packages.')) }),
    apiUrl: 'http://127.0.0.1:8283',
    timeoutMs: 60_000,
  });
}

async function callOnce(runner: ToolRunner): Promise<void> {
  const prepared = await runner.prepare({
    name: 'act',
    sourceType: 'python',
    sourceCode: 'def act():\n    return "done"\n',
    runtime: { function: 'act', modules: [] },
    requirements: [],
    parameters: [],
  });
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  const end = await prepared.run({ arguments: {}, environment: {}, agent: null, token: 'none' });
  if (end.message !== 'done') throw new Error(end.message);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
