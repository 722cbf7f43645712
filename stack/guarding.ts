import { spawn, type ChildProcess } from 'node:child_process';
import { flagsFor } from '../adapters/settings/own-modules.js';
import type { Part } from './parts.js';

/** A server process that must not outlive the stack, and the signal that ends it in order. */
export interface GuardedBackend {
  readonly pid: number;
  /** See `identifyProcess`. */
  readonly identity: string;
  readonly signal: NodeJS.Signals;
}

/** Sees to it that the stack's servers end also where the stack itself is killed. */
export interface Guarding extends Part {
  /** The process that is now the server of that name. */
  watch(name: string, backend: GuardedBackend): void;
  /** Starts the guard; what was to be watched before is told to it. */
  begin(entry: string): void;
}

/** Worker and server have 15 s to end in order: `end-with-parent.mjs`. */
const graceMs = 17_000;

/** None yet: it begins when its program is compiled. */
export function createGuarding(home: string): Guarding {
  const backends = new Map<string, GuardedBackend>();
  let guard: ChildProcess | undefined;
  const tell = (): void => {
    // One that is gone can be told nothing; the next start ends what it left.
    if (guard?.connected === true) guard.send([...backends.values()], () => undefined);
  };
  const kill = (): void => {
    guard?.kill('SIGKILL');
  };
  return {
    name: 'guard',
    watch: (name, backend) => {
      backends.set(name, backend);
      tell();
    },
    begin: (entry) => {
      guard = spawn(process.execPath, [...flagsFor(entry), entry, home, String(graceMs)], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        // A group of its own: what is sent to all of ours must leave it.
        detached: true,
      });
      guard.on('error', () => undefined);
      tell();
    },
    stop: () => {
      kill();
      return Promise.resolve();
    },
    kill,
  };
}
