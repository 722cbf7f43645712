import { setTimeout } from 'node:timers/promises';
import type { Log } from '../activities/deps.js';
import type { PassageStore } from '../core/passage-store.js';
import type { Db } from '../schema/database.js';
import { feedStore, repairStore } from '../schema/passage-feed.js';

/** How far a store of the user's own may be behind where nobody searches, in ms: a search brings it up to date itself. */
const pollMs = 2_000;

interface FeedingDeps {
  readonly db: Db;
  readonly store: PassageStore;
  readonly log: Log;
}

/** Tells a registered store of passages until stopped, once also of those that it lost. Waits for the round under way. */
export function startFeeding(deps: FeedingDeps): () => Promise<void> {
  const { db, store, log } = deps;
  const stop = new AbortController();
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      log.warn('The archival store could not be told of passages; the next round tries again.', { error });
      return false;
    }
  };
  const repair = async (): Promise<void> => {
    const differing = await repairStore(db, store);
    if (differing > 0)
      log.warn(`The archival store ${store.name} differs in ${differing} passages: it is told of them.`);
  };
  const running = (async () => {
    let isRepaired = false;
    while (!stop.signal.aborted) {
      const isFed = await attempt(() => feedStore(db, store));
      isRepaired ||= isFed && (await attempt(repair));
      // Ends early only where it is told to stop.
      await setTimeout(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
