import type { PassageStore } from '../../core/archives/passage-store.js';

/** How long a refused passage is set aside before the next attempt, in ms. */
const retryMs = 300_000;
/** A passage counts as refused after this many failures in a row. One may have been an outage. */
const enough = 2;

/** The passages that a store refuses, as far as this process knows. */
export interface Refusals {
  /** Ids of passages that must not be tried now. */
  aside(): readonly string[];
  /** Records that a passage failed alone. Returns true where it is set aside from now on. */
  failed(passageId: string): boolean;
  /** Records that the store took passages. */
  took(passageIds: readonly string[]): void;
}

/** A user's own store, with the state of feeding it in this process. */
export interface StoreFeed {
  readonly store: PassageStore;
  /** Archives that this process feeds at the moment. */
  readonly underWay: Set<string>;
  readonly refusals: Refusals;
  /** Called for each passage that is set aside, by the feed or by a search. */
  onRefused?: (passageId: string, error: Error) => void;
}

/** Creates the feed of a store. Each process needs one per store. */
export function createStoreFeed(store: PassageStore): StoreFeed {
  return { store, underWay: new Set(), refusals: createRefusals() };
}

/** Creates an empty record. `now` is a clock in ms. */
export function createRefusals(now: () => number = Date.now): Refusals {
  const failures = new Map<string, { readonly times: number; readonly until: number }>();
  return {
    aside: () => [...failures].filter(([, { until }]) => until > now()).map(([id]) => id),
    failed(passageId) {
      const times = (failures.get(passageId)?.times ?? 0) + 1;
      const isRefused = times >= enough;
      failures.set(passageId, { times, until: isRefused ? now() + retryMs : 0 });
      return isRefused;
    },
    took(passageIds) {
      for (const id of passageIds) failures.delete(id);
    },
  };
}
