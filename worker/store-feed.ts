import { setTimeout } from 'node:timers/promises';
import type { Log } from '../activities/deps.js';
import type { Db } from '../schema/db/database.js';
import { feedStore } from '../schema/archives/passage-feed.js';
import type { StoreFeed } from '../schema/archives/store-feed.js';
import { repairStore } from '../schema/archives/store-repair.js';

/** How far a user's own store may lag behind without searches, in ms. A search updates it itself. */
const pollMs = 2_000;

interface FeedingDeps {
  readonly db: Db;
  readonly feed: StoreFeed;
  readonly log: Log;
  /** The pause between two rounds, in ms. Default 2 s. */
  readonly everyMs?: number;
}

/**
 * Feeds passages to a registered store until stopped, and once repairs its differences. Stopping waits for the
 * store's current call only.
 */
export function startFeeding(deps: FeedingDeps): () => Promise<void> {
  const { db, feed, log, everyMs = pollMs } = deps;
  const { name } = feed.store;
  const stop = new AbortController();
  const { signal } = stop;
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      log.warn('The archival store could not be updated. The next round tries again.', { error });
      return false;
    }
  };
  feed.onRefused = (passageId, error) => {
    log.warn(`The archival store ${name} refuses ${passageId}. It is tried again in some minutes.`, {
      error,
    });
  };
  let isRepaired = false;
  const round = async (): Promise<void> => {
    const isFed = await attempt(() => feedStore(db, feed, { busy: 'skip', signal }));
    if (!isFed || isRepaired || signal.aborted) return;
    await attempt(async () => {
      const comparison = await repairStore(db, feed, signal);
      if (comparison.kind === 'waiting') return;
      isRepaired = true;
      const { differing } = comparison;
      if (differing > 0)
        log.warn(`The archival store ${name} differs in ${differing} passages. They are being repaired.`);
    });
  };
  const running = (async () => {
    while (!signal.aborted) {
      await round();
      // Rejects only when stopped.
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
