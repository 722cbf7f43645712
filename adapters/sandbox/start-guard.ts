import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

/** The file descriptor on which a guarded program asks whether this process is still there. */
const guardDescriptor = 5;

/**
 * Put before a program's command, after what tells the kernel that the program ends with this process: it runs the
 * program once this process has answered. One that is killed before it has would leave a program which nobody ends.
 * From there on no process has more files open than these.
 */
export function startGuard(openFiles: number): readonly string[] {
  const waits = `echo >&${guardDescriptor} && read -r go <&${guardDescriptor} && exec ${guardDescriptor}>&-`;
  return ['/bin/sh', '-c', `ulimit -n ${openFiles} && ${waits} && exec "$@"`, 'sh'];
}

/** Answers the guard of a program that was started with a pipe at its descriptor, once it is told that it starts. */
export function answerGuard(child: ChildProcess, onStart: () => void): void {
  // Node's types know five descriptors; this one is a socket, which a pipe of Node's is.
  const guard = (child.stdio as readonly unknown[])[guardDescriptor] as Duplex;
  // A program without a guard closes it unasked.
  guard.on('error', () => undefined);
  guard.once('data', () => {
    onStart();
    guard.end('go\n');
  });
}
