import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess, isSameProcess } from '../../../adapters/settings/process-identity.js';

/** A process that is known by more than its number: numbers are given again. */
export interface ServerProcess {
  readonly pid: number;
  readonly identity: string;
}

interface Owner {
  readonly run: ServerProcess;
  readonly servers: readonly ServerProcess[];
}

const ownerFile = 'owner.json';

/** Notes in a run's directory whose it is and what it started, for `sweepDeadRuns` of a later run. */
export function writeOwner(directory: string, servers: readonly ServerProcess[]): void {
  const run = { pid: process.pid, identity: identifyProcess(process.pid) ?? '' };
  writeFileSync(join(directory, ownerFile), JSON.stringify({ run, servers } satisfies Owner));
}

/** Ends the servers and removes the directories of runs that were killed. */
export function sweepDeadRuns(root = tmpdir()): void {
  for (const name of readdirSync(root).filter((entry) => /^perdure-test-\d+$/.test(entry))) {
    const directory = join(root, name);
    const owner = readOwner(directory);
    const pid = Number(name.slice('perdure-test-'.length));
    const alive =
      owner === undefined ? pid !== process.pid && identifyProcess(pid) !== undefined : isAlive(owner.run);
    if (alive) continue;
    removeRun(directory, owner?.servers ?? []);
  }
}

/** Ends what a run started, also what its tests started on data in its directory, and removes the directory. */
export function removeRun(directory: string, servers: readonly ServerProcess[]): void {
  killServers(servers);
  for (const pid of processesOn(directory)) kill(pid);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** At once and without grace: what test servers hold is thrown away with them. */
function killServers(servers: readonly ServerProcess[]): void {
  // The group: a PostgreSQL is a family of processes.
  for (const { pid } of servers.filter(isAlive)) kill(-pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Those whose command line names something below the directory, which has the run's number in its name. */
function processesOn(directory: string): number[] {
  const lines = process.platform === 'linux' ? readProc() : readPs();
  return lines.filter(([, command]) => command.includes(`${directory}/`)).map(([pid]) => pid);
}

function readProc(): (readonly [number, string])[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return [Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8')] as const;
      } catch {
        // It ended while we looked.
        return [Number(name), ''] as const;
      }
    });
}

function readPs(): (readonly [number, string])[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => [Number.parseInt(line, 10), line] as const);
}

function isAlive({ pid, identity }: ServerProcess): boolean {
  return isSameProcess(pid, identity);
}

function readOwner(directory: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, ownerFile), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}
