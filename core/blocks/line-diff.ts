/** A line that two texts share: its index in the one and in the other. */
export type KeptLine = readonly [before: number, after: number];

/** A text's lines. The empty text has none, so that an empty block is not a block with one empty line. */
export function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Edits up to which the shortest way is looked for. Beyond, two texts have little in common that helps a reader. */
const mostEdits = 500;

/**
 * The lines that stay when `before` becomes `after`, in order: a longest common subsequence (Myers, "An O(ND)
 * difference algorithm", 1986). Where more than 500 lines differ, only the common beginning and end.
 */
export function keptLines(before: readonly string[], after: readonly string[]): readonly KeptLine[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const middle = keptBetween(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  return [
    ...Array.from({ length: start }, (_, index): KeptLine => [index, index]),
    ...middle.map(([a, b]): KeptLine => [a + start, b + start]),
    ...Array.from({ length: end }, (_, index): KeptLine => [
      before.length - end + index,
      after.length - end + index,
    ]),
  ];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  return start;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let end = 0;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return end;
}

/**
 * `furthest` of a diagonal (index in a minus index in b) is how far into `a` a way with `edits` edits gets on it. One
 * is kept for each number of edits, and the way is walked back through them.
 */
function keptBetween(a: readonly string[], b: readonly string[]): readonly KeptLine[] {
  if (a.length === 0 || b.length === 0) return [];
  const history: ReadonlyMap<number, number>[] = [];
  let furthest: ReadonlyMap<number, number> = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, mostEdits); edits += 1) {
    history.push(furthest);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDownwards(furthest, diagonal, edits)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(history, a.length, b.length);
    }
    furthest = next;
  }
  return [];
}

/** Whether the best way onto a diagonal takes in a line of `b`, rather than leaving one of `a` out. */
function isDownwards(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0);
}

function walkBack(
  history: readonly ReadonlyMap<number, number>[],
  aLength: number,
  bLength: number,
): readonly KeptLine[] {
  const kept: KeptLine[] = [];
  let x = aLength;
  let y = bLength;
  for (let edits = history.length - 1; edits >= 0; edits -= 1) {
    const furthest = history[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const from = isDownwards(furthest, diagonal, edits) ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : (furthest.get(from) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      kept.push([x, y]);
    }
    x = fromX;
    y = fromY;
  }
  return kept.reverse();
}
