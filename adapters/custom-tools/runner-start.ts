import { existsSync, readFileSync } from 'node:fs';
import { pythonPackages, type ToolRequirement, type ToolRuntime } from '../../core/tools/custom-tools.js';
import { transpile } from '../javascript/transpile.js';
import { EnvironmentError, type PythonEnvironments } from '../python/environments.js';
import type { Python } from '../python/interpreter.js';
import { pythonProgram } from '../python/program.js';
import type { Sandbox } from '../sandbox/sandbox.js';

/** How to start a tool's runner, and the source for it. */
export interface RunnerStart {
  readonly command: readonly [string, ...string[]];
  readonly readable: readonly string[];
  readonly source: string;
}

interface Startable {
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  readonly runtime: Partial<ToolRuntime>;
  readonly requirements: readonly ToolRequirement[];
}

/** The runtimes of languages. */
export interface Languages {
  readonly python: () => Promise<Python | undefined>;
  readonly environments: (python: Python) => PythonEnvironments;
}

const pythonRunner = pythonProgram('runner');
const javascriptRunner = readFileSync(new URL('../javascript/runner.mjs', import.meta.url), 'utf8');

/** Prepares the runtime of a tool's language. Throws EnvironmentError and SourceError. */
export async function prepareStart(
  tool: Startable,
  languages: Languages,
  sandbox: Sandbox,
): Promise<RunnerStart> {
  return tool.sourceType === 'typescript' ? startNode(tool, sandbox) : startPython(tool, languages);
}

async function startPython(tool: Startable, { python, environments }: Languages): Promise<RunnerStart> {
  const found = await python();
  if (found === undefined)
    throw new EnvironmentError('there is no Python 3.9 or newer here. Install python3.');
  const packages = pythonPackages(tool.runtime, tool.requirements);
  const environment = packages.length === 0 ? undefined : await environments(found).prepare(packages);
  return {
    command: [environment?.executable ?? found.executable, '-I', '-B', '-c', pythonRunner],
    readable: [found.prefix, ...(environment === undefined ? [] : [environment.directory])],
    source: tool.sourceCode ?? '',
  };
}

const heapMegabytes = 512;

async function startNode(tool: Startable, sandbox: Sandbox): Promise<RunnerStart> {
  const source = await transpile(tool.sourceCode ?? '');
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytes}`,
    '--input-type=module',
    '-e',
  ] as const;
  return {
    command: [...limiting(sandbox), ...node, javascriptRunner],
    readable: [process.execPath],
    source,
  };
}

/**
 * Node can't limit its memory as Python can, and V8 reserves far more addresses than it uses, so these are not
 * limited.
 */
function limiting({ isolation, limits }: Sandbox): [] | [string, ...string[]] {
  if (!existsSync('/usr/bin/prlimit')) return [];
  const processes = isolation === 'bubblewrap' ? [`--nproc=${limits.processes}`] : [];
  return ['prlimit', `--fsize=${limits.fileBytes}`, ...processes, '--core=0', '--'];
}
