import { setImmediate } from 'node:timers/promises';
import { vectorOfItem } from './vectors.js';

/** Items that are compared before other work gets its time. */
const pause = 1_000;

/** The items from `from` to `to - 1`. */
interface Items {
  readonly from: number;
  readonly to: number;
}

/** The nearest items of each vector by cosine, best first. Compares all items in this process, without an index. */
export async function nearestItems(
  asked: readonly Float32Array[],
  { from, to }: Items,
  limit: number,
): Promise<readonly (readonly number[])[]> {
  const best: { item: number; likeness: number }[][] = asked.map(() => []);
  for (let item = from; item < to; item += 1) {
    // Otherwise a connection that closed meanwhile would be used again.
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
