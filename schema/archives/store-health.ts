import type { PassageStore } from '../../core/archives/passage-store.js';

/** How long a passage that a store refused waits until it is tried again, in ms. */
const retryMs = 300_000;
/** A passage that failed by itself so many times in a row is refused: once may have been an outage. */
const enough = 2;

/** Which passages a store refuses, as far as this process knows. */
export interface Refusals {
  /** Ids of those that are not to be tried now. */
  aside(): readonly string[];
  /** Notes that a passage failed by itself. True where it is put aside from here on, for a while. */
  failed(passageId: string): boolean;
  /** Notes that the store took passages after all. */
  took(passageIds: readonly string[]): void;
}

/** What this process does with a store, and knows of it. */
export interface Dealings {
  /** Archives that it tells the store of right now. */
  readonly underWay: Set<string>;
  readonly refusals: Refusals;
  /** Told of each passage that is put aside, whoever told the store of it: a search, too. */
  onRefused?: (passageId: string, error: Error) => void;
}

const dealings = new WeakMap<PassageStore, Dealings>();

/** The same for the same store, as long as there is one. */
export function dealingsWith(store: PassageStore): Dealings {
  const known: Dealings = dealings.get(store) ?? { underWay: new Set(), refusals: createRefusals() };
  dealings.set(store, known);
  return known;
}

/** No refusals yet. `now` is a clock in ms. */
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
