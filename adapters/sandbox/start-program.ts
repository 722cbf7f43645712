import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Writable } from 'node:stream';
import type { MemoryGroup } from './memory-groups.js';
import { answerGuard } from './start-guard.js';
import type { Launch } from './sandbox.js';

/** The number of descriptors: three of the program, its answer, the launcher's and the guard's. */
const descriptors = 7;

/** A program to start with its launcher and, if any, its memory group. */
export interface Starting {
  readonly launch: Launch;
  readonly group: MemoryGroup | undefined;
  /** Called when the launchers are done and the program itself begins. */
  readonly onStart?: () => void;
}

/** Starts a program in its own process group, without this process's environment. */
export function startProgram({ launch, group, onStart = () => undefined }: Starting): ChildProcess {
  const [file = '', ...args] = [...(group?.enter ?? []), ...launch.command];
  const home = launch.directory === '/' ? '/tmp' : launch.directory;
  const child = spawn(file, args, {
    cwd: launch.directory,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
    // A process group of its own, which is killed as a whole.
    detached: true,
    stdio: Array.from({ length: descriptors }, () => 'pipe' as const),
  });
  answerGuard(child, onStart);
  // Unused ones must end too.
  for (const descriptor of [4, 6] as const) {
    feed(streamAt(child, descriptor), launch.extraInputs[descriptor] ?? '');
  }
  return child;
}

/** Writes all bytes to a stream and ends it. */
export function feed(stream: Writable | null, bytes: string | Buffer): void {
  // A program that ends without reading closes its end.
  stream?.on('error', () => undefined);
  stream?.end(bytes);
}

// Node's types know five descriptors. Each is a socket, as Node's pipes are.
export function streamAt({ stdio }: { readonly stdio: readonly unknown[] }, descriptor: number): Duplex {
  return stdio[descriptor] as Duplex;
}
