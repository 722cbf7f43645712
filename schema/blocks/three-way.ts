import { diff3Merge } from 'node-diff3';

/** The result of a three-way merge. */
export type Merge =
  | { readonly kind: 'merged'; readonly value: string }
  /** `theirs`: merged as far as possible, with the other side's lines where both changed the same ones. */
  | { readonly kind: 'conflict'; readonly theirs: string };

/**
 * Merges two texts that were derived from `base`, line by line. Added lines never conflict: each side's are kept, and
 * where both added at the same place, theirs come first.
 */
export function mergeTexts(texts: {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}): Merge {
  const { base, ours, theirs } = texts;
  if (theirs === base || ours === theirs) return { kind: 'merged', value: ours };
  if (ours === base) return { kind: 'merged', value: theirs };
  const regions = diff3Merge(lines(ours), lines(base), lines(theirs), { excludeFalseConflicts: true });
  let conflicts = 0;
  const merged = regions.flatMap((region): string[] => {
    if (region.ok !== undefined) return region.ok;
    const { a = [], o = [], b = [] }: Partial<Record<'a' | 'o' | 'b', string[]>> = region.conflict ?? {};
    const kept = keepAdditions({ ours: a, base: o, theirs: b });
    if (kept !== undefined) return kept;
    conflicts += 1;
    return b;
  });
  const value = merged.join('\n');
  return conflicts === 0 ? { kind: 'merged', value } : { kind: 'conflict', theirs: value };
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

interface Region {
  readonly ours: readonly string[];
  readonly base: readonly string[];
  readonly theirs: readonly string[];
}

/** Merges a region in which one side only added lines around its own; undefined where both changed lines. */
function keepAdditions({ ours, base, theirs }: Region): string[] | undefined {
  const byUs = additions(base, ours);
  if (byUs !== undefined) return surround(theirs, byUs);
  const byThem = additions(base, theirs);
  return byThem === undefined ? undefined : surround(ours, byThem);
}

interface Additions {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function additions(base: readonly string[], changed: readonly string[]): Additions | undefined {
  const extra = changed.length - base.length;
  if (base.every((line, index) => changed[index] === line))
    return { before: [], after: changed.slice(base.length) };
  if (extra > 0 && base.every((line, index) => changed[index + extra] === line))
    return { before: changed.slice(0, extra), after: [] };
  return undefined;
}

// Skips lines that the other side added too.
function surround(lines: readonly string[], { before, after }: Additions): string[] {
  const isNew = (line: string): boolean => !lines.includes(line);
  return [...before.filter(isNew), ...lines, ...after.filter(isNew)];
}
