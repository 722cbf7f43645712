import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStackFile, type StackFile } from '../../adapters/settings/endpoints.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { endOf, packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { compileForRun } from './run/compiled.js';
import { readTestState } from './run/test-state.js';

/** `npm start` as a user has it, in a process of its own. */
export interface StackProcess {
  readonly pid: number;
  /** What it wrote, both streams. */
  readonly output: () => string;
  readonly ended: Promise<number | NodeJS.Signals | Error>;
  /** Resolves when it says that it is up; throws with its output when it ends instead. */
  readonly up: () => Promise<StackFile>;
  /** As Ctrl-C; resolves to its exit code. */
  readonly interrupt: () => Promise<number | NodeJS.Signals | Error>;
}

const upPatienceMs = 150_000;

/**
 * Starts it on a data directory, with embedded servers and any free port: by npm, whose number it then has, or, in half of
 * the computing, its compiled program alone.
 */
export async function spawnStack(
  home: string,
  env: NodeJS.ProcessEnv = {},
  by: 'node' | 'npm' = 'node',
): Promise<StackProcess> {
  const [command, ...args] =
    by === 'npm'
      ? ['npm', 'run', '--silent', 'start']
      : [process.execPath, await compileForRun('stack/main.ts')];
  const child = spawn(command, args, {
    cwd: packageFile('.'),
    env: {
      ...process.env,
      ...{
        PERDURE_HOME: home,
        PORT: '0',
        HOST: '',
        DATABASE_URL: '',
        TEMPORAL_ADDRESS: '',
        LETTA_SERVER_PASSWORD: '',
      },
      TEMPORAL_CLI: readTestState().temporal.binary,
      // The tests may be run by npm, which is another one than the stack's.
      npm_lifecycle_event: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let hasEnded = false;
  const ended = endOf(child).finally(() => {
    hasEnded = true;
  });
  const up = async (): Promise<StackFile> => {
    const isUp = () => (hasEnded ? false : output.includes('perdure is up') || undefined);
    const running =
      (await waitFor(isUp, { timeoutMs: upPatienceMs })) === true ? readStackFile(home) : undefined;
    if (running === undefined) throw new Error(`The stack does not start:\n${output}`);
    return running;
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    up,
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The processes of the servers that the stack of a data directory started last, those that are alive. */
export function backendPids(home: string): number[] {
  const postmaster = join(home, 'postgres', 'cluster', 'postmaster.pid');
  const temporal = join(home, 'temporal', 'temporal.db.server.json');
  const pids = [
    existsSync(postmaster) ? Number(readFileSync(postmaster, 'utf8').split('\n')[0]) : 0,
    existsSync(temporal) ? (JSON.parse(readFileSync(temporal, 'utf8')) as { pid: number }).pid : 0,
  ];
  return pids.filter((pid) => identifyProcess(pid) !== undefined);
}

/** The processes of worker and server according to their logs, newest first in each; those that are alive. */
export function programPids(home: string, name: 'worker' | 'server'): number[] {
  const log = readFileSync(join(home, 'logs', `${name}.log`), 'utf8');
  const pids = [...log.matchAll(/^\[stack\] \w+ is process (\d+)/gm)].map(([, pid]) => Number(pid));
  return pids.reverse().filter((pid) => identifyProcess(pid) !== undefined);
}
