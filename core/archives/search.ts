/** An item of a fused ranking. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** An item of a ranking that counts for more or less than its place alone. */
export interface Weighed {
  readonly id: string;
  readonly weight: number;
}

/**
 * Several rankings as one, by reciprocal rank fusion: an item scores `1 / (k + rank)` in each list it is in, times its weight
 * where it has one. Equal scores keep the order in which the lists first name them. An id named twice in one list counts
 * once; an undefined entry keeps its place and scores nothing.
 */
export function fuse(lists: readonly (readonly (string | Weighed | undefined)[])[], k = 60): Ranked[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    const seen = new Set<string>();
    let rank = 0;
    for (const entry of list) {
      const { id, weight } = typeof entry === 'string' ? { id: entry, weight: 1 } : (entry ?? none);
      if (id !== undefined && seen.has(id)) continue;
      rank += 1;
      if (id === undefined) continue;
      seen.add(id);
      scores.set(id, (scores.get(id) ?? 0) + weight / (k + rank));
    }
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}

const none = { id: undefined, weight: 0 };

const term = /[\p{L}\p{N}](?:[\p{L}\p{N}_./:#-]*[\p{L}\p{N}])?/gu;
const dateOrNumber = /^(?:\d{1,4}(?:[-./:]\d{1,4})*|\d[\d.]*\d|\d{4}-\d{2}-\d{2}T[\d:.]+Z?)$/;

/**
 * Words of a query that name a thing rather than describe it: UUIDs, codes of letters and digits, long numbers. A
 * vector knows nothing of them, so the lexical side of a search must match them. Dates and plain numbers are none.
 */
export function identifierTerms(query: string): string[] {
  const words = query.match(term) ?? [];
  return [...new Set(words.filter(isIdentifier))];
}

function isIdentifier(word: string): boolean {
  if (!/\p{N}/u.test(word)) return false;
  if (/^\d{5,}$/.test(word)) return true;
  return word.length >= 4 && !dateOrNumber.test(word) && !isOrdinary(word);
}

/** Ordinals, clock times, quantities with a unit: `21st`, `10:30am`, `100km`. */
function isOrdinary(word: string): boolean {
  return /^\d+(?:[.:]\d+)*(?:st|nd|rd|th|am|pm|km|kg|mm|cm|ms|mb|gb|kb|tb|hz|min|px|s|m|h|d|x)$/i.test(word);
}

/**
 * Cosine of the angle between two vectors; 0 where one of them is zero.
 * @throws RangeError if they differ in length.
 */
export function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new RangeError(`vectors of ${a.length} and ${b.length} dimensions`);
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  const norm = Math.sqrt(squareA) * Math.sqrt(squareB);
  return norm === 0 ? 0 : dot / norm;
}
