import { keptLines, toLines } from './line-diff.js';

/** Lines shown around a change. */
const contextLines = 3;

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * The difference from `before` to `after` as hunks of a unified diff without file names; empty where the texts are
 * equal. Each line begins with " " (unchanged), "-" (removed) or "+" (added). A missing newline at the end is not
 * marked, and an empty text has no lines.
 */
export function unifiedDiff(before: string, after: string): string {
  const lines = diffLines(toLines(before), toLines(after));
  return hunksOf(lines)
    .map(([start, end]) => toHunk(lines, start, end))
    .join('\n');
}

function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let a = 0;
  let b = 0;
  const upTo = (nextA: number, nextB: number): void => {
    for (const text of before.slice(a, nextA)) lines.push({ mark: '-', text });
    for (const text of after.slice(b, nextB)) lines.push({ mark: '+', text });
  };
  for (const [keptA, keptB] of keptLines(before, after)) {
    upTo(keptA, keptB);
    lines.push({ mark: ' ', text: before[keptA] ?? '' });
    a = keptA + 1;
    b = keptB + 1;
  }
  upTo(before.length, after.length);
  return lines;
}

/** Stretches of lines around changes; two whose contexts touch are one. */
function hunksOf(lines: readonly DiffLine[]): readonly (readonly [start: number, end: number])[] {
  const hunks: [number, number][] = [];
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(lines.length, index + 1 + contextLines);
    const last = hunks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  });
  return hunks;
}

function toHunk(lines: readonly DiffLine[], start: number, end: number): string {
  const before = lines.slice(0, start);
  const shown = lines.slice(start, end);
  const head = `@@ -${range(before, shown, '+')} +${range(before, shown, '-')} @@`;
  return [head, ...shown.map(({ mark, text }) => `${mark}${text}`)].join('\n');
}

/** First line and number of lines of a hunk, in the text that doesn't have the lines marked `absent`. */
function range(before: readonly DiffLine[], shown: readonly DiffLine[], absent: '-' | '+'): string {
  const count = (lines: readonly DiffLine[]): number => lines.filter(({ mark }) => mark !== absent).length;
  const size = count(shown);
  // A stretch without lines is named by the line before it.
  return `${count(before) + (size === 0 ? 0 : 1)},${size}`;
}
