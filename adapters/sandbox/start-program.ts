import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Writable } from 'node:stream';
import type { MemoryGroup } from './memory-groups.js';
import { answerGuard } from './start-guard.js';
import type { Launch } from './sandbox.js';

/** How many descriptors launchers use: the program's three, its answer, and what `extraInputs` and the guard have. */
const descriptors = 7;

/** A program on its way: started as its launcher says, in a group of memory where there is one. */
export interface Starting {
  readonly launch: Launch;
  readonly group: MemoryGroup | undefined;
  /** Called when all that launches it has been set up and the program itself begins. */
  readonly onStart?: () => void;
}

/** Starts a program in a process group of its own, with nothing of this process's environment. */
export function startProgram({ launch, group, onStart = () => undefined }: Starting): ChildProcess {
  const [file = '', ...args] = [...(group?.enter ?? []), ...launch.command];
  const home = launch.directory === '/' ? '/tmp' : launch.directory;
  const child = spawn(file, args, {
    cwd: launch.directory,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
    // A group of its own, which is killed as one.
    detached: true,
    stdio: Array.from({ length: descriptors }, () => 'pipe' as const),
  });
  answerGuard(child, onStart);
  // Also one that nobody reads is to end.
  for (const descriptor of [4, 6] as const) {
    feed(streamAt(child, descriptor), launch.extraInputs[descriptor] ?? '');
  }
  return child;
}

/** Gives a stream all that it is to have. */
export function feed(stream: Writable | null, bytes: string | Buffer): void {
  // A program that ends without reading closes its end.
  stream?.on('error', () => undefined);
  stream?.end(bytes);
}

// Node's types know five descriptors; each is a socket, which a pipe of Node's is.
export function streamAt({ stdio }: { readonly stdio: readonly unknown[] }, descriptor: number): Duplex {
  return stdio[descriptor] as Duplex;
}
