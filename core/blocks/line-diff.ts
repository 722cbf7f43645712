import { diffArrays } from 'diff';

/** A line that two texts share: its index in the one and in the other. */
export type KeptLine = readonly [before: number, after: number];

/** A text's lines. The empty text has none, so that an empty block is not a block with one empty line. */
export function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** The most edits to search for. Beyond, two texts have little in common that helps a reader, and the search is slow. */
const mostEdits = 500;

/**
 * The lines that stay when `before` becomes `after`, in order: a longest common subsequence. Where more than 500 lines
 * differ, only the common beginning and end.
 */
export function keptLines(before: readonly string[], after: readonly string[]): readonly KeptLine[] {
  const start = commonStart(before, after);
  const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse());
  const oldMiddle = before.slice(start, before.length - end);
  const newMiddle = after.slice(start, after.length - end);
  return [
    ...run(start, 0, 0),
    ...keptBetween(oldMiddle, newMiddle).map(([a, b]): KeptLine => [a + start, b + start]),
    ...run(end, before.length - end, after.length - end),
  ];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((line, index) => line !== b[index]);
  return differing === -1 ? a.length : differing;
}

/** Consecutive lines that stay. */
function run(length: number, before: number, after: number): readonly KeptLine[] {
  return Array.from({ length }, (_, index) => [before + index, after + index]);
}

function keptBetween(before: readonly string[], after: readonly string[]): readonly KeptLine[] {
  const kept: KeptLine[] = [];
  let [a, b] = [0, 0];
  for (const { added, removed, count } of diffArrays([...before], [...after], { maxEditLength: mostEdits }) ??
    []) {
    if (!added && !removed) kept.push(...run(count, a, b));
    if (!added) a += count;
    if (!removed) b += count;
  }
  return kept;
}
