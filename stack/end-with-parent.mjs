import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the program of each process that the stack spawns. When the stack was killed (kill -9), it asks the process
 * to end in order, and ends it after a grace: a worker or server of a dead stack would keep its port. A log that can't be
 * written, because the disk is full, does not end the process.
 * Plain JavaScript, because the program's threads load it too, and those can't load TypeScript.
 */
const graceMs = 15_000;

if (isMainThread) {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), graceMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening for the parent's end must not keep a program alive that has finished.
  process.channel?.unref();
}
