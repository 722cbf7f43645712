import type { RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** Tables whose rows have embeddings. */
export type VectorTable = 'passages' | 'messages';

/** A search for the nearest vectors. */
export interface NearestQuery {
  readonly table: VectorTable;
  readonly vector: readonly number[];
  /** Vectors of different models can't be compared, even of the same size. */
  readonly model: string;
  /** The condition on rows to search. */
  readonly within: RawBuilder<boolean>;
  readonly limit: number;
}

/** Finds rows by their embeddings. */
export interface Vectors {
  readonly kind: 'pgvector' | 'exact';
  /** A sentence that says how vectors are searched here, and why. */
  readonly note: string;
  /**
   * Prepares fast search of a table's vectors of one size, without blocking readers and writers. May take minutes:
   * turns must not wait for it, and it must not run in a transaction. Safe to repeat and to run in several processes
   * at once.
   */
  prepare(db: Db, table: VectorTable, dimensions: number): Promise<void>;
  /** Ids of the nearest rows by cosine, best first. Rows without a vector of this model and size are left out. */
  nearest(db: Db | Tx, query: NearestQuery): Promise<readonly string[]>;
}
