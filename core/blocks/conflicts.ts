import type { Block } from './blocks.js';
import { keptLines } from './line-diff.js';
import { unifiedDiff } from './unified-diff.js';

/** A revision of a block that somebody read, with its value. */
export interface SeenRevision {
  readonly revision: number;
  readonly value: string;
}

/** Words for what changed between what an author read and what is there now; a paragraph, or nothing to say. */
export function showChange(seen: SeenRevision, current: Pick<Block, 'revision' | 'value'>): string {
  const difference = unifiedDiff(seen.value, current.value);
  if (difference === '') return '';
  return `What changed from revision ${seen.revision} to ${current.revision}, lines taken out with "-" and new ones with "+":\n${difference}\n(End of what changed.) `;
}

/**
 * Where a text goes that is to follow line `line` of the lines that its author read (0: the top): behind that line,
 * or where it is gone, behind the nearest one before it that stayed.
 */
export function placeNow(read: readonly string[], now: readonly string[], line: number): number {
  const anchor = keptLines(read, now).findLast(([before]) => before < line);
  return anchor === undefined ? 0 : anchor[1] + 1;
}
