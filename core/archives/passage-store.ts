/** A passage as a store of a user's own is given it. */
export interface KeptPassage {
  readonly id: string;
  readonly archiveId: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Null where nothing embedded it. */
  readonly embedding: KeptEmbedding | null;
}

/** A vector and the handle of the model it is of: vectors of different models can't be compared. */
export interface KeptEmbedding {
  readonly vector: readonly number[];
  readonly model: string;
}

/** What a store of a user's own is asked. */
export interface StoreQuery {
  /** Only passages of these; null: of any. */
  readonly archiveIds: readonly string[] | null;
  /** As it was asked, for a store that reads words too. */
  readonly text: string;
  /** The text's; null: nothing embedded it. */
  readonly embedding: KeptEmbedding | null;
  /** Only passages with any or all of them; none: whatever their tags. */
  readonly tags: readonly string[];
  readonly tagMatch: 'any' | 'all';
  /** Bounds of the passages' creation, both included. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit: number;
}

/**
 * A store of a user's own, in which archival memory is looked for by meaning. Postgres keeps every passage and tells the
 * store of each that comes or goes, at least once: whatever a call repeats must be harmless. What a call rejects with is
 * taken for an outage, and the call is made again later. Several processes have the store open at once.
 */
export interface PassageStore {
  /** Tells it from others, for good: a store by a new name is given every passage there is. */
  readonly name: string;
  /** Keeps passages; one whose id is there is put in its place. They can be found once this resolves. */
  insert(passages: readonly KeptPassage[]): Promise<void>;
  /** Forgets passages; those that it does not have are no mistake. */
  delete(ids: readonly string[]): Promise<void>;
  /** Ids of the nearest passages, best first. */
  search(query: StoreQuery): Promise<readonly string[]>;
  /** Ids of all passages that it has, in any order. */
  list(): AsyncIterable<string>;
  /** How many passages it has. */
  count(): Promise<number>;
  close(): Promise<void>;
}
