import { toLines } from './line-diff.js';
import { expandTabs } from './tabs.js';

/** Lines that stand one after the other in a text, and what is to stand in their place. */
interface Hunk {
  readonly expected: readonly string[];
  readonly replacement: readonly Replacement[];
}

/** A line that is kept as it stands, by its place in what is expected, or a new one. */
type Replacement = { readonly kept: number } | { readonly added: string };

/** A text after a patch; or which lines it looked for in vain, or found at several places (line numbers from 1). */
export type PatchOutcome =
  | { readonly kind: 'patched'; readonly value: string }
  | { readonly kind: 'empty' }
  /** A line that says nothing of what to do with it; nothing of the patch was done. */
  | { readonly kind: 'unreadable'; readonly line: string }
  | { readonly kind: 'missing'; readonly expected: string }
  | { readonly kind: 'ambiguous'; readonly expected: string; readonly lines: readonly number[] };

/**
 * Applies a simplified unified diff to a text. Hunks are parted by lines that begin with `@@`, and find their place by
 * what they say alone, never by line numbers; one without a line to find goes to the end. All of them apply or none, and no
 * line is passed over but the marks that open and close patches elsewhere.
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

/** A line of a hunk, or one that was left wholly blank, which models write for an empty line that stays. */
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

/** Whether a line only says that a patch begins or ends, as models write them that were taught to. */
export function isPatchMark(line: string): boolean {
  return /^\*\*\* (Begin|End) Patch\s*$/.test(line);
}

/**
 * Without the names of files that other programs put before the hunks. Those are two lines before an `@@`; what looks like one
 * of them elsewhere is a line of the text.
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
