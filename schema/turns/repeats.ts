import { type RawBuilder, sql } from 'kysely';

/** By what something that is asked for is known when it is asked for again. */
export interface Repeatable {
  /** The asker's own word for it; null where it gave none. */
  readonly requestKey: string | null;
  readonly requestHash: string | null;
  /** For a retry: how long ago its first try may have been sent, in ms. 0: it joins nothing by its hash. */
  readonly joinWithinMs: number;
}

/**
 * The condition on rows with `request_key`, `request_hash` and `created_at` under which one is what an earlier request of
 * the same kind began. Undefined where no row can be.
 */
export function isRepeated({
  requestKey,
  requestHash,
  joinWithinMs,
}: Repeatable): RawBuilder<boolean> | undefined {
  if (requestKey !== null) return sql<boolean>`request_key = ${requestKey}`;
  if (joinWithinMs <= 0 || requestHash === null) return undefined;
  // An older one can't be what a retry's first try began.
  return sql<boolean>`(request_hash = ${requestHash}
    and created_at > now() - ${joinWithinMs} * interval '1 millisecond')`;
}
