import { setTimeout as delay } from 'node:timers/promises';
import { isSameProcess } from '../adapters/settings/process-identity.js';
import type { GuardedBackend } from './guard.js';
import { isOwned } from './lock.js';

/**
 * A process beside the stack, which ends PostgreSQL and Temporal when the stack has died without a word (kill -9). They
 * can't know of it themselves. Worker and server end first, and need them for that; a start that takes them over
 * meanwhile keeps them.
 */
const [, , home = '', graceMs = ''] = process.argv;
let backends: readonly GuardedBackend[] = [];

process.on('message', (message) => {
  backends = message as readonly GuardedBackend[];
});
process.once('disconnect', () => {
  void endBackends();
});
// It ends by what it was told last, whoever else is asked to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.({ ready: true });

async function endBackends(): Promise<void> {
  await delay(Number(graceMs));
  if (isOwned(home)) return;
  for (const { pid, identity, signal } of backends)
    if (isSameProcess(pid, identity)) process.kill(pid, signal);
}
