import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

/** The file descriptor on which a guarded program asks whether this process is still there. */
const guardDescriptor = 5;

/**
 * Put before a program's command, after what tells the kernel that the program ends with this process: it runs the
 * program once this process has answered. One that is killed before it has would leave a program which nobody ends.
 */
export const startGuard: readonly string[] = [
  '/bin/sh',
  '-c',
  `echo >&${guardDescriptor} && read -r go <&${guardDescriptor} && exec ${guardDescriptor}>&- && exec "$@"`,
  'sh',
];

/** Answers the guard of a program that was started with a pipe at its descriptor. */
export function answerGuard(child: ChildProcess): void {
  // Node's types know five descriptors; this one is a socket, which a pipe of Node's is.
  const guard = (child.stdio as readonly unknown[])[guardDescriptor] as Duplex;
  // A program without a guard closes it unasked.
  guard.on('error', () => undefined);
  guard.once('data', () => {
    guard.end('go\n');
  });
}
