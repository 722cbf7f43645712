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

/** Makes sure that the stack's servers end even if the stack itself is killed. */
export interface Guard extends Part {
  /** Sets the process that is the server with that name now. */
  watch(name: string, backend: GuardedBackend): void;
  /** Starts the guard's process and tells it of the servers so far. */
  begin(entry: string): void;
}

/** Worker and server have 15 s to end in order: `end-with-parent.mjs`. */
const graceMs = 17_000;

/** A guard without a process yet: its program has to be compiled first. */
export function createGuard(home: string): Guard {
  const backends = new Map<string, GuardedBackend>();
  let guard: ChildProcess | undefined;
  const tell = (): void => {
    // A guard that has ended can't be told; the next start ends the servers that it leaves.
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
        // In a process group of its own, which signals to the stack's group don't reach.
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
