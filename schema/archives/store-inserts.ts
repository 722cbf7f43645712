import type { KeptPassage, PassageStore } from '../../core/archives/passage-store.js';
import type { StoreFeed } from './store-feed.js';

/** A passage that the store rejected even alone. */
export interface FailedPassage {
  readonly passageId: string;
  readonly error: Error;
}

/**
 * Inserts passages into a store. If it rejects them together, they are halved until the rejected ones are found, so
 * that one passage doesn't block the others. Throws where the store is unavailable.
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
    // Throws if the store is unavailable, so that no passage is blamed.
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

/** Sets aside passages that failed repeatedly. Throws the first error of the others, which a retry may fix. */
export function noteFailed({ refusals, onRefused }: StoreFeed, failed: readonly FailedPassage[]): void {
  let first: Error | undefined;
  for (const { passageId, error } of failed) {
    if (refusals.failed(passageId)) onRefused?.(passageId, error);
    else first ??= error;
  }
  if (first !== undefined) throw first;
}
