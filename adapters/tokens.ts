import { createRequire } from 'node:module';

/** The part of gpt-tokenizer that is used here. */
interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** The tokenizer takes time quadratic in a run without spaces: whole texts of 200 kB froze the process for 18 s. */
const sliceLength = 2_000;

let tokenizer: Tokenizer | undefined;

/** How many tokens of o200k_base the text has. Exact on normal text, a little above it on long runs without a space. */
export function countTokens(text: string): number {
  let count = 0;
  for (const slice of cutIntoSlices(text)) count += countSlice(slice);
  return count;
}

/** The beginning of the text that has at most `limit` tokens, cut to a slice of 2 kB. */
export function truncateToTokens(text: string, limit: number): string {
  if (mostTokens(text) <= limit) return text;
  let count = 0;
  let length = 0;
  for (const slice of cutIntoSlices(text)) {
    count += countSlice(slice);
    if (count > limit) return text.slice(0, length);
    length += slice.length;
  }
  return text;
}

/** A bound that costs nothing: no token is shorter than a byte, and a UTF-16 unit has three of them at most. */
export function mostTokens(text: string): number {
  return text.length * 3;
}

function countSlice(slice: string): number {
  tokenizer ??= loadTokenizer();
  // A user may write `<|endoftext|>`: it is text here, and by default an exception.
  return tokenizer.countTokens(slice, { disallowedSpecial: new Set() });
}

/** Loaded at the first count, and not before: its tables take 80 MB. `require`, because counting is synchronous. */
function loadTokenizer(): Tokenizer {
  return createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Tokenizer;
}

/** Slices end before a space where there is one, because tokens begin with their space. */
function* cutIntoSlices(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = findCut(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

function findCut(text: string, start: number): number {
  const limit = start + sliceLength;
  if (limit >= text.length) return text.length;
  const space = text.lastIndexOf(' ', limit);
  if (space > start) return space;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  return splitsPair ? limit - 1 : limit;
}
