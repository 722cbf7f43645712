import type { RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** Tables whose rows have embeddings. */
export type VectorTable = 'passages' | 'messages';

/** What to look for near a vector. */
export interface NearestQuery {
  readonly table: VectorTable;
  readonly vector: readonly number[];
  /** Vectors of other models mean other things, also where they are of the same size. */
  readonly model: string;
  /** Which rows of the table count. */
  readonly within: RawBuilder<boolean>;
  readonly limit: number;
}

/** Finds rows by what their embeddings say. */
export interface Vectors {
  readonly kind: 'pgvector' | 'exact';
  /** One sentence that says which way vectors are searched here, and why. */
  readonly note: string;
  /**
   * Makes what makes searching a table's vectors of a size fast, while others go on reading and writing. May take minutes:
   * not to be waited for by a turn, nor called in a transaction. Harmless when repeated, also by several processes at once.
   */
  prepare(db: Db, table: VectorTable, dimensions: number): Promise<void>;
  /** Ids of the rows nearest by cosine, best first. Rows without a vector of this model and size are left out. */
  nearest(db: Db | Tx, query: NearestQuery): Promise<readonly string[]>;
}
