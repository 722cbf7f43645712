import { createHash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** How long an entry counts, in ms. An outdated one makes a search slower, not wrong. */
const believedMs = 10 * 60 * 1000;
/** The most entries. */
const mostRemembered = 2_000;

/** Remembers which queries matched many rows. */
export interface LargeResults {
  has(query: CompiledQuery): boolean;
  add(query: CompiledQuery): void;
}

/** Creates an empty memory. */
export function createLargeResults(now: () => number = Date.now): LargeResults {
  const until = new Map<string, number>();
  const keyOf = ({ sql, parameters }: CompiledQuery): string =>
    createHash('sha256')
      .update(JSON.stringify([sql, parameters]))
      .digest('base64url');
  return {
    has: (query) => (until.get(keyOf(query)) ?? 0) > now(),
    add(query) {
      const [oldest] = until.keys();
      if (until.size >= mostRemembered && oldest !== undefined) until.delete(oldest);
      until.set(keyOf(query), now() + believedMs);
    },
  };
}
