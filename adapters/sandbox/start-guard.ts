import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

/** The file descriptor on which a guarded program checks that this process lives. */
const guardDescriptor = 5;

/**
 * Prefix of a program's command, after the one by which the program ends with this process. It starts the program
 * only once this process has answered: if this process is killed before, nobody would end the program. It also sets
 * the limit of open files.
 */
export function startGuard(openFiles: number): readonly string[] {
  const waits = `echo >&${guardDescriptor} && read -r go <&${guardDescriptor} && exec ${guardDescriptor}>&-`;
  return ['/bin/sh', '-c', `ulimit -n ${openFiles} && ${waits} && exec "$@"`, 'sh'];
}

/** Answers the guard of a starting program, and reports the start. */
export function answerGuard(child: ChildProcess, onStart: () => void): void {
  // Node's types know five descriptors. This one is a socket, as Node's pipes are.
  const guard = (child.stdio as readonly unknown[])[guardDescriptor] as Duplex;
  // A program without a guard closes it.
  guard.on('error', () => undefined);
  guard.once('data', () => {
    onStart();
    guard.end('go\n');
  });
}
