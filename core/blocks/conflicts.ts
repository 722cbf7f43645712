import type { Block } from './blocks.js';
import { keptLines } from './line-diff.js';
import { unifiedDiff } from './unified-diff.js';

/** A revision of a block that an author read, with its value. */
export interface SeenRevision {
  readonly revision: number;
  readonly value: string;
}

/** Describes what changed since the author read the block: a paragraph, or an empty text. */
export function showChange(seen: SeenRevision, current: Pick<Block, 'revision' | 'value'>): string {
  const difference = unifiedDiff(seen.value, current.value);
  if (difference === '') return '';
  return `Changes from revision ${seen.revision} to ${current.revision} ("-" lines were removed, "+" lines added):\n${difference}\n(End of changes.) `;
}

/**
 * Where to insert a text that should follow line `line` of the lines that its author read (0: the top). If that line
 * is gone, after the nearest line before it that is left.
 */
export function placeNow(read: readonly string[], now: readonly string[], line: number): number {
  const anchor = keptLines(read, now).findLast(([before]) => before < line);
  return anchor === undefined ? 0 : anchor[1] + 1;
}
