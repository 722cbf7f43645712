import { setTimeout } from 'node:timers/promises';
import type { Log } from '../activities/deps.js';
import type { PassageStore } from '../core/archives/passage-store.js';
import type { Db } from '../schema/db/database.js';
import { feedStore } from '../schema/archives/passage-feed.js';
import { dealingsWith } from '../schema/archives/store-health.js';
import { repairStore } from '../schema/archives/store-repair.js';

/** How far a store of the user's own may be behind where nobody searches, in ms: a search brings it up to date itself. */
const pollMs = 2_000;

interface FeedingDeps {
  readonly db: Db;
  readonly store: PassageStore;
  readonly log: Log;
  /** From the end of a round to the next, in ms. Default 2 s. */
  readonly everyMs?: number;
}

/**
 * Tells a registered store of passages until stopped, once also of those that it lost. Stopping waits for the call of the
 * store that is under way, and for no more of its round.
 */
export function startFeeding(deps: FeedingDeps): () => Promise<void> {
  const { db, store, log, everyMs = pollMs } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      log.warn('The archival store could not be told of passages; the next round tries again.', { error });
      return false;
    }
  };
  dealingsWith(store).onRefused = (passageId, error) => {
    log.warn(`The archival store ${store.name} refuses ${passageId}; it is tried again in some minutes.`, {
      error,
    });
  };
  let isRepaired = false;
  const round = async (): Promise<void> => {
    const isFed = await attempt(() => feedStore(db, store, { busy: 'skip', signal }));
    if (!isFed || isRepaired || signal.aborted) return;
    await attempt(async () => {
      const comparison = await repairStore(db, store, signal);
      if (comparison.kind === 'waiting') return;
      isRepaired = true;
      const { differing } = comparison;
      if (differing > 0)
        log.warn(`The archival store ${store.name} differs in ${differing} passages: it is told of them.`);
    });
  };
  const running = (async () => {
    while (!signal.aborted) {
      await round();
      // Ends early only where it is told to stop.
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
