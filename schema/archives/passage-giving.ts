import type { KeptPassage, PassageStore } from '../../core/archives/passage-store.js';
import type { Dealings } from './store-health.js';

/** A passage that a store rejected by itself. */
export interface FailedPassage {
  readonly passageId: string;
  readonly error: Error;
}

/**
 * Gives a store passages. What it rejects together it is given in halves, until those are found that it rejects by
 * themselves: one must not keep the others out. Throws where the store is away.
 */
export async function insertParts(
  store: PassageStore,
  passages: readonly KeptPassage[],
  signal: AbortSignal | undefined,
): Promise<readonly FailedPassage[]> {
  try {
    await store.insert(passages);
    return [];
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // Throws, too, where it was no passage's fault.
    await store.count();
    if (passages.length === 1) {
      const reason = error instanceof Error ? error : new Error(String(error));
      return passages.map(({ id }) => ({ passageId: id, error: reason }));
    }
    const half = Math.ceil(passages.length / 2);
    return [
      ...(await insertParts(store, passages.slice(0, half), signal)),
      ...(await insertParts(store, passages.slice(half), signal)),
    ];
  }
}

/** Puts aside what was rejected again. Throws the error of what was not before: the next try may do. */
export function noteFailed({ refusals, onRefused }: Dealings, failed: readonly FailedPassage[]): void {
  let first: Error | undefined;
  for (const { passageId, error } of failed) {
    if (refusals.failed(passageId)) onRefused?.(passageId, error);
    else first ??= error;
  }
  if (first !== undefined) throw first;
}
