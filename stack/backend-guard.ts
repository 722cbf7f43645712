import { setTimeout as delay } from 'node:timers/promises';
import { isSameProcess } from '../adapters/settings/process-identity.js';
import type { GuardedBackend } from './guard.js';
import { isOwned } from './lock.js';

/**
 * A process beside the stack that ends PostgreSQL and Temporal when the stack was killed (kill -9), which they can't
 * notice themselves. It waits until worker and server have ended, which need both. If another start takes the two over
 * meanwhile, it leaves them running.
 */
const [, , home = '', graceMs = ''] = process.argv;
let backends: readonly GuardedBackend[] = [];

process.on('message', (message) => {
  backends = message as readonly GuardedBackend[];
});
process.once('disconnect', () => {
  void endBackends();
});
// It ends only after the stack, so signals to the process group are ignored.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.send?.({ ready: true });

async function endBackends(): Promise<void> {
  await delay(Number(graceMs));
  if (isOwned(home)) return;
  for (const { pid, identity, signal } of backends)
    if (isSameProcess(pid, identity)) process.kill(pid, signal);
}
