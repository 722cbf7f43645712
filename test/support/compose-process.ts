import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { endOf } from '../../stack/processes.js';
import { projectRoot, readProjectFile } from './house/project-files.js';
import { plainEnvironment } from './plain-environment.js';
import { compileForRun } from './run/compiled.js';
import { compiledProgram } from './run/test-state.js';

type ServiceName = 'migrate' | 'server' | 'worker';

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | number | null>>;
  readonly deploy?: { readonly replicas?: number };
}

/** A service of docker-compose.yml as a process of this machine: its command, its variables, no container. */
export interface ComposeProcess {
  readonly pid: number;
  /** What the program said when it was ready; a server says where it listens. */
  readonly ready: Promise<{ readonly address?: string }>;
  readonly ended: Promise<number | NodeJS.Signals | Error>;
  /** Ends it at once (SIGKILL) and waits until it is gone. */
  kill(): Promise<void>;
}

/** The service as docker-compose.yml has it. */
export function composeService(name: ServiceName): Service {
  const compose = parse(readProjectFile('docker-compose.yml'), { merge: true }) as {
    services: Readonly<Record<ServiceName, Service>>;
  };
  return compose.services[name];
}

/** Ends with jest, also where jest is killed: its command has no trace of the run by which it could be found. */
const endWithParent = `--import ${new URL('../../stack/end-with-parent.mjs', import.meta.url).href}`;

/**
 * Runs the service's command with its variables, in the project's directory. Where the image has `dist/`, the program is
 * compiled for the tests: `package.test.ts` starts those of `dist/`. `given` is what the service's file leaves to the user
 * or to its network; a variable that the service does not hand on is refused.
 */
export async function runService(
  name: ServiceName,
  given: Readonly<Record<string, string>>,
  directory: string,
): Promise<ComposeProcess> {
  const { command, environment } = composeService(name);
  const unknown = Object.keys(given).filter((variable) => !(variable in environment));
  if (unknown.length > 0) throw new Error(`The service ${name} is not given ${unknown.join(', ')}.`);
  const [program = '', ...args] = await Promise.all(command.map(compiled));
  const logFile = join(directory, `${name}-${String(Date.now())}-${String(Math.random()).slice(2)}.log`);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(program, args, {
    cwd: projectRoot,
    env: { ...plainEnvironment(), NODE_OPTIONS: endWithParent, ...environmentOf(environment, given) },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return toProcess(name, child, () => readFileSync(logFile, 'utf8'));
}

/** The same program, compiled for the tests. */
async function compiled(part: string): Promise<string> {
  switch (part) {
    case 'dist/worker/main.js':
      return compiledProgram('worker');
    case 'dist/server/main.js':
      return compiledProgram('server');
    case 'dist/schema/db/migrate.js':
      return compileForRun('schema/db/migrate.ts');
    default:
      return part;
  }
}

function toProcess(name: string, child: ChildProcess, readLog: () => string): ComposeProcess {
  const ended = endOf(child);
  const ready = Promise.race([
    once(child, 'message').then(([message]) => message as { address?: string }),
    ended.then((code) => {
      throw new Error(`${name} ended (${String(code)}) before it was ready:\n${readLog()}`);
    }),
  ]);
  // A migration is never ready: it ends.
  ready.catch(() => undefined);
  // A test that fails may leave it: then jest must be able to end, and its end ends the process.
  child.unref();
  child.channel?.unref();
  const pid = child.pid ?? 0;
  return {
    pid,
    ready,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function environmentOf(
  environment: Service['environment'],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const set = Object.entries({ ...environment, ...given })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, withDefault(String(value))] as const);
  const unset = set.filter(([, value]) => value.includes('${'));
  if (unset.length > 0) throw new Error(`Nothing is given for ${unset.map(([name]) => name).join(', ')}.`);
  return Object.fromEntries(set);
}

/** What Compose makes of `${NAME:-default}` for a user who sets nothing. */
function withDefault(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}
