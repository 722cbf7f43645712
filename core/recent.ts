/** What was used last of what was kept. */
export interface Recent<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/** Keeps `most` values at most: the one that was not asked for the longest makes room. */
export function createRecent<Key, Value>(most: number): Recent<Key, Value> {
  const kept = new Map<Key, Value>();
  const put = (key: Key, value: Value): void => {
    // A map keeps the order in which its keys came.
    kept.delete(key);
    kept.set(key, value);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set(key, value) {
      put(key, value);
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
  };
}
