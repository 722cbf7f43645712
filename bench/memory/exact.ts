import { setImmediate } from 'node:timers/promises';
import { vectorOfItem } from './vectors.js';

/** Items that are compared in one go. */
const pause = 1_000;

/** Items from `from` up to and without `to`. */
interface Items {
  readonly from: number;
  readonly to: number;
}

/** For each vector the items nearest to it by cosine, best first: by comparing all of them in this process, without an index. */
export async function nearestItems(
  asked: readonly Float32Array[],
  { from, to }: Items,
  limit: number,
): Promise<readonly (readonly number[])[]> {
  const best: { item: number; likeness: number }[][] = asked.map(() => []);
  for (let item = from; item < to; item += 1) {
    // Meanwhile connections may close, which must be noticed before they are used again.
    if (item % pause === 0) await setImmediate();
    const vector = vectorOfItem(item);
    const length = Math.sqrt(dot(vector, vector));
    best.forEach((list, index) => {
      const likeness = dot(vector, asked[index] ?? vector) / length;
      if (list.length === limit && likeness <= (list.at(-1)?.likeness ?? 0)) return;
      list.push({ item, likeness });
      list.sort((a, b) => b.likeness - a.likeness);
      list.length = Math.min(limit, list.length);
    });
  }
  return best.map((list) => list.map(({ item }) => item));
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
