/** A passage as a user's own store receives it. */
export interface KeptPassage {
  readonly id: string;
  readonly archiveId: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Null: the passage was never embedded. */
  readonly embedding: KeptEmbedding | null;
}

/** A vector with the handle of the model that made it. Vectors of different models can't be compared. */
export interface KeptEmbedding {
  readonly vector: readonly number[];
  readonly model: string;
}

/** A search of a user's own store. */
export interface StoreQuery {
  /** Only passages of these archives; null: of any. */
  readonly archiveIds: readonly string[] | null;
  /** The query's text, for a store that also searches by words. */
  readonly text: string;
  /** The query's vector; null: it was not embedded. */
  readonly embedding: KeptEmbedding | null;
  /** Only passages with any or all of these tags; empty: no condition. */
  readonly tags: readonly string[];
  readonly tagMatch: 'any' | 'all';
  /** Bounds of the passages' creation, inclusive. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit: number;
}

/**
 * A user's own store, which searches archival memory by meaning. Postgres keeps every passage and sends the store
 * each change at least once, so every call must be idempotent. A rejected call counts as an outage and is repeated
 * later. Several processes open the store at the same time.
 */
export interface PassageStore {
  /** Identifies the store for good: a store with a new name receives every passage. */
  readonly name: string;
  /** Inserts passages, or replaces those with the same id. They can be found once this resolves. */
  insert(passages: readonly KeptPassage[]): Promise<void>;
  /** Deletes passages. Unknown ids are ignored. */
  delete(ids: readonly string[]): Promise<void>;
  /** Ids of the nearest passages, best first. */
  search(query: StoreQuery): Promise<readonly string[]>;
  /** Ids of all its passages, in any order. */
  list(): AsyncIterable<string>;
  /** The number of its passages. */
  count(): Promise<number>;
  /** Called once, when the process ends. */
  close(): Promise<void>;
}
