import { type RawBuilder, sql } from 'kysely';
import type { Embedding } from './passages.js';

/** What to look for in passages, whoever has them. */
export interface PassageQuery {
  /** Empty, and no embedding: the newest that the rest allows. */
  readonly query: string;
  /** The query's. Absent: passages are found by their words alone. */
  readonly embedding?: Embedding | undefined;
  /** The query's by other models: sources may have been embedded by one of their own. */
  readonly otherEmbeddings?: readonly Embedding[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Default 'any'. */
  readonly tagMatch?: 'any' | 'all' | undefined;
  /** Bounds of the passages' creation, both included. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** The condition that a passage has the tags that are asked for. */
export function tagged({
  tags = [],
  tagMatch = 'any',
}: Pick<PassageQuery, 'tags' | 'tagMatch'>): RawBuilder<boolean> {
  if (tags.length === 0) return sql<boolean>`true`;
  return tagMatch === 'all'
    ? sql<boolean>`passages.tags @> ${[...tags]}::text[]`
    : sql<boolean>`passages.tags && ${[...tags]}::text[]`;
}
