import { codePoints } from '../blocks/operations.js';

/** Cuts a list into chunks that fit `room` each, in order. A larger item is a chunk of its own. */
export function inChunks<Item>(
  items: readonly Item[],
  room: number,
  sizeOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  let left = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (chunks.length === 0 || size > left) {
      chunks.push([]);
      left = room;
    }
    chunks.at(-1)?.push(item);
    left -= size;
  }
  return chunks;
}

/** The summariser's share of an eviction's time, all attempts together. The rest is for the cut. */
const summariserShare = 0.5;

/**
 * How long an eviction may still wait for its summariser, in ms. `usedMs`: since it was first scheduled; `withinMs`:
 * its time in all. A later attempt gets no extra time, so a killed or hung summariser costs its time only once.
 */
export function summariserTimeLeft(eviction: { usedMs: number; withinMs: number }): number {
  return eviction.withinMs * summariserShare - eviction.usedMs;
}

/** Cuts a summary to at most this many characters, after a sentence if possible. */
export function fitSummary(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  if (codePoints(trimmed) <= maxCharacters) return trimmed;
  const clipped = Array.from(trimmed).slice(0, Math.max(0, maxCharacters)).join('');
  const stop = Math.max(...['. ', '.\n', '\n'].map((mark) => clipped.lastIndexOf(mark)));
  return stop > clipped.length / 2 ? clipped.slice(0, stop + 1).trimEnd() : clipped;
}

/** Also cuts a summary to this many tokens, by `sizeOf`; empty where none fit. */
export function fitSummaryTokens(
  text: string,
  room: { readonly characters: number; readonly tokens: number; readonly sizeOf: (text: string) => number },
): string {
  let fitted = fitSummary(text, room.characters);
  // Cut again until it fits: the ratio of characters to tokens depends on the script.
  for (let size = room.sizeOf(fitted); fitted !== '' && size > room.tokens; size = room.sizeOf(fitted)) {
    fitted = fitSummary(fitted, Math.floor(Math.min(0.9, room.tokens / size) * codePoints(fitted)));
  }
  return fitted;
}

const noticed =
  /^(\d+) older messages? left your context because it was full, and could not be summarised\. [^\n]*\n?/;

/** The summary below a notice of messages that left the context without a summary. An existing notice is extended. */
export function withHardNotice(summary: string, evictedCount: number): string {
  const earlier = noticed.exec(summary);
  const count = evictedCount + Number(earlier?.[1] ?? 0);
  const said = summary.slice(earlier?.[0].length ?? 0);
  const notice = `${count} older message${count === 1 ? '' : 's'} left your context because it was full, and could not be summarised. They are not lost: conversation_search finds them in recall memory.`;
  return said === '' ? notice : `${notice}\n${said}`;
}
