import { type RawBuilder, sql } from 'kysely';

/** Identifies a request when it is sent again. */
export interface RepeatableRequest {
  /** The sender's idempotency key; null: none. */
  readonly requestKey: string | null;
  readonly requestHash: string | null;
  /** For a retry: how long ago the first try may have been sent, in ms. 0: never joined by its hash. */
  readonly joinWithinMs: number;
}

/**
 * The condition on rows with `request_key`, `request_hash` and `created_at` that an earlier sending of the same
 * request created. Undefined where there can be none.
 */
export function isRepeated({
  requestKey,
  requestHash,
  joinWithinMs,
}: RepeatableRequest): RawBuilder<boolean> | undefined {
  if (requestKey !== null) return sql<boolean>`request_key = ${requestKey}`;
  if (joinWithinMs <= 0 || requestHash === null) return undefined;
  // An older row can't be from the first try.
  return sql<boolean>`(request_hash = ${requestHash}
    and created_at > now() - ${joinWithinMs} * interval '1 millisecond')`;
}
