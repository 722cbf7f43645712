import { createHash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** How long an answer is believed, in ms: rows may be deleted, which makes the search slower, not wrong. */
const believedMs = 10 * 60 * 1000;
/** Answers that are remembered at most. */
const mostRemembered = 2_000;

/** Of which queries it is known that they count many rows. */
export interface ManyMemory {
  has(query: CompiledQuery): boolean;
  add(query: CompiledQuery): void;
}

export function createManyMemory(now: () => number = Date.now): ManyMemory {
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
