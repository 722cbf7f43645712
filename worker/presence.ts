import { randomInt } from 'node:crypto';
import type { Presence } from '../activities/deps.js';
import { listen } from '../client/listening.js';
import { workerChannel, workerLocks } from '../schema/worker-lives.js';

/** Keys are what an integer column holds, but for zero. */
const keys = 2 ** 31;

/** A presence that ends. */
export interface OpenPresence extends Presence {
  close(): Promise<void>;
}

/**
 * Makes this process known to live, from when it resolves on: it holds a lock by its key on a connection of its own,
 * which the database frees when the process is gone. Each connection has another key, so that a lost one's lock, which
 * the database may take a while to miss, says nothing of this one.
 */
export async function openPresence(databaseUrl: string): Promise<OpenPresence> {
  let current: number | null = null;
  const inHand = new Map<string, () => void>();
  const listening = listen({
    databaseUrl,
    channel: workerChannel,
    onPayload: (work) => inHand.get(work)?.(),
    async onConnected(client) {
      const key = randomInt(1, keys);
      await client.query('select pg_advisory_lock($1, $2)', [workerLocks, key]);
      current = key;
    },
    onLost() {
      current = null;
    },
  });
  await listening.begun;
  return {
    key: () => current,
    whileInHand(work, giveNews) {
      inHand.set(work, giveNews);
      return () => {
        inHand.delete(work);
      };
    },
    async close() {
      current = null;
      await listening.close();
    },
  };
}
