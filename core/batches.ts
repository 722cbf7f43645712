/** What one batch may hold. */
export interface BatchLimits<T> {
  readonly items: number;
  /** In the unit of `weigh`. */
  readonly weight: number;
  readonly weigh: (item: T) => number;
}

/** Cuts a list into batches, in order. An item that is too heavy for any batch gets a batch of its own. */
export function cutIntoBatches<T>(items: readonly T[], limits: BatchLimits<T>): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let weight = 0;
  for (const item of items) {
    const more = limits.weigh(item);
    if (batch.length > 0 && (batch.length >= limits.items || weight + more > limits.weight)) {
      batches.push(batch);
      batch = [];
      weight = 0;
    }
    batch.push(item);
    weight += more;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
