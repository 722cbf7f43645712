/** A cache of the most recently used values. */
export interface Recent<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/** Creates a cache of at most `most` values. The least recently used one is dropped first. */
export function createRecent<Key, Value>(most: number): Recent<Key, Value> {
  const kept = new Map<Key, Value>();
  const put = (key: Key, value: Value): void => {
    // A map iterates in insertion order, so this moves the key to the end.
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
