import { type RawBuilder, sql } from 'kysely';
import type { Embedding } from './passages.js';

/** A search of passages, whichever agents have them. */
export interface PassageQuery {
  /** Without a query and an embedding, the newest passages that match the other conditions. */
  readonly query: string;
  /** The query's embedding. Absent: passages are found by words alone. */
  readonly embedding?: Embedding | undefined;
  /** The query's embeddings by other models, because sources may use their own. */
  readonly otherEmbeddings?: readonly Embedding[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Default 'any'. */
  readonly tagMatch?: 'any' | 'all' | undefined;
  /** Bounds of the passages' creation, inclusive. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** The condition on a passage's tags. */
export function tagged({
  tags = [],
  tagMatch = 'any',
}: Pick<PassageQuery, 'tags' | 'tagMatch'>): RawBuilder<boolean> {
  if (tags.length === 0) return sql<boolean>`true`;
  return tagMatch === 'all'
    ? sql<boolean>`passages.tags @> ${[...tags]}::text[]`
    : sql<boolean>`passages.tags && ${[...tags]}::text[]`;
}
