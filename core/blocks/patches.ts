import { toLines } from './line-diff.js';
import { expandTabs } from './tabs.js';

/** Consecutive lines to find in a text, and what replaces them. */
interface Hunk {
  readonly expected: readonly string[];
  readonly replacement: readonly Replacement[];
}

/** A found line that stays, by its index, or a new line. */
type Replacement = { readonly kept: number } | { readonly added: string };

/** The patched text; or the lines that were not found, or found more than once (line numbers from 1). */
export type PatchOutcome =
  | { readonly kind: 'patched'; readonly value: string }
  | { readonly kind: 'empty' }
  /** A line without a valid sign. Nothing was applied. */
  | { readonly kind: 'unreadable'; readonly line: string }
  | { readonly kind: 'missing'; readonly expected: string }
  | { readonly kind: 'ambiguous'; readonly expected: string; readonly lines: readonly number[] };

/**
 * Applies a simplified unified diff to a text. Lines that begin with `@@` separate hunks. A hunk is placed by the
 * lines that it quotes, never by line numbers; a hunk that quotes none goes to the end. Either all hunks apply or
 * none. Only the marks that begin and end a patch are skipped.
 */
export function applyPatch(value: string, patch: string): PatchOutcome {
  const hunks = toHunks(patch);
  if ('kind' in hunks) return hunks;
  if (hunks.length === 0) return { kind: 'empty' };
  let lines = toLines(value);
  for (const hunk of hunks) {
    const outcome = applyHunk(lines, hunk);
    if (!Array.isArray(outcome)) return outcome;
    lines = outcome;
  }
  return { kind: 'patched', value: lines.join('\n') };
}

function applyHunk(
  lines: readonly string[],
  hunk: Hunk,
): string[] | Exclude<PatchOutcome, { kind: 'patched' }> {
  const { expected, replacement } = hunk;
  const added = (at: number) =>
    replacement.map((line) => ('added' in line ? line.added : (lines[at + line.kept] ?? '')));
  if (expected.length === 0) return [...lines, ...added(0)];
  const places = placesOf(lines, expected);
  const [at] = places;
  const text = expected.join('\n');
  if (at === undefined) return { kind: 'missing', expected: text };
  if (places.length > 1)
    return { kind: 'ambiguous', expected: text, lines: places.map((place) => place + 1) };
  return [...lines.slice(0, at), ...added(at), ...lines.slice(at + expected.length)];
}

function placesOf(lines: readonly string[], expected: readonly string[]): readonly number[] {
  const verbatim = places(lines, expected);
  return verbatim.length > 0 ? verbatim : places(lines.map(expandTabs), expected.map(expandTabs));
}

function places(lines: readonly string[], expected: readonly string[]): readonly number[] {
  const last = lines.length - expected.length;
  return Array.from({ length: Math.max(0, last + 1) }, (_, at) => at).filter((at) =>
    expected.every((line, index) => lines[at + index] === line),
  );
}

/** A line of a hunk. A blank line counts as an unchanged empty line, because models write it so. */
type HunkLine = { readonly sign: ' ' | '-' | '+'; readonly text: string } | 'blank';

function toHunks(patch: string): readonly Hunk[] | Extract<PatchOutcome, { kind: 'unreadable' }> {
  const hunks: HunkLine[][] = [[]];
  const lines = withoutFileNames(patch.split(/\r?\n/).filter((line) => !isPatchMark(line)));
  for (const line of lines) {
    const sign = line.charAt(0);
    if (line.startsWith('@@')) hunks.push([]);
    else if (line === '') hunks.at(-1)?.push('blank');
    else if (sign === ' ' || sign === '-' || sign === '+') hunks.at(-1)?.push({ sign, text: line.slice(1) });
    else return { kind: 'unreadable', line };
  }
  return hunks
    .map(withoutOuterBlanks)
    .filter((hunk) => hunk.length > 0)
    .map(toHunk);
}

/** Whether a line only marks the beginning or end of a patch, as some models were trained to write. */
export function isPatchMark(line: string): boolean {
  return /^\*\*\* (Begin|End) Patch\s*$/.test(line);
}

/**
 * Removes the two lines of file names that other programs write before an `@@`. Anywhere else, such lines belong to
 * the text.
 */
function withoutFileNames(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => /^[ +-]/.test(line));
  const isHeader = /^---/.test(lines[at] ?? '') && /^\+\+\+/.test(lines[at + 1] ?? '');
  return isHeader && (lines[at + 2] ?? '').startsWith('@@') ? lines.toSpliced(at, 2) : lines;
}

function withoutOuterBlanks(lines: readonly HunkLine[]): readonly HunkLine[] {
  const first = lines.findIndex((line) => line !== 'blank');
  const last = lines.findLastIndex((line) => line !== 'blank');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

function toHunk(lines: readonly HunkLine[]): Hunk {
  const expected: string[] = [];
  const replacement: Replacement[] = [];
  for (const line of lines) {
    const { sign, text } = line === 'blank' ? { sign: ' ', text: '' } : line;
    if (sign === '+') replacement.push({ added: text });
    else {
      if (sign === ' ') replacement.push({ kept: expected.length });
      expected.push(text);
    }
  }
  return { expected, replacement };
}
