/**
 * The vectors of the benchmark's embedding server. The text determines its vector. Vectors lie around topics, as those of
 * real texts do: among evenly spread vectors nearness means nothing, and an index works badly.
 */
export const dimensions = 512;
const topics = 200;
/** The distance of a text from its topic. The topics' own spread is 1. */
const spread = 0.6;
/** The distance of a question from the text that it asks about. */
const askedSpread = 0.3;
const askedMark = 'asks';

/** The word for an item. `itemOf` reads it. */
export function wordOf(item: number): string {
  let word = '';
  for (let rest = item, place = 0; place < 4; place += 1, rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length] ?? '';
  }
  return word;
}

/** A word whose vector is near the item's. No text has it, so only a search by meaning can find the item. */
export function questionAbout(item: number): string {
  return `${askedMark}${wordOf(item)}`;
}

/** The vector of a text. Its first word may name an item or ask about one; otherwise the characters determine the vector. */
export function vectorOf(text: string): Float32Array {
  const first = /^[a-z]+/.exec(text)?.[0] ?? '';
  const asked = first.startsWith(askedMark) ? itemOf(first.slice(askedMark.length)) : undefined;
  if (asked !== undefined) return near(vectorOfItem(asked), asked + 1, askedSpread);
  return vectorOfItem(itemOf(first) ?? hashOf(text));
}

export function vectorOfItem(item: number): Float32Array {
  return near(centreOf(item % topics), item, spread);
}

const syllables = 'b d f g k l m n p r s t v z'
  .split(' ')
  .flatMap((consonant) => ['a', 'e', 'i', 'o', 'u'].map((vowel) => consonant + vowel));

function itemOf(word: string): number | undefined {
  if (word.length !== 8) return undefined;
  const digits = [6, 4, 2, 0].map((at) => syllables.indexOf(word.slice(at, at + 2)));
  return digits.includes(-1) ? undefined : digits.reduce((item, digit) => item * syllables.length + digit, 0);
}

const centres = new Map<number, Float32Array>();

function centreOf(topic: number): Float32Array {
  const known = centres.get(topic) ?? near(new Float32Array(dimensions), topic * 7_919 + 1, 1);
  centres.set(topic, known);
  return known;
}

function near(vector: Float32Array, seed: number, wide: number): Float32Array {
  const random = randomNumbers(seed);
  return vector.map((value) => value + wide * (random() - 0.5));
}

/** Random numbers in [0, 1), the same in every run: mulberry32, whose sequences of consecutive seeds do not correlate. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash;
}
