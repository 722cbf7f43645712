import type { RevisionOperation } from './blocks.js';
import { keptLines, toLines } from './line-diff.js';

/** A revision as far as blame looks at it. */
export interface BlamedRevision {
  readonly revision: number;
  readonly operation: RevisionOperation;
  readonly value: string;
}

/** A line of the value that blame was asked for, and the revision that wrote it, once that is found. */
interface LineOrigin {
  readonly line: number;
  readonly revision: number;
}

/** How far blame has come: lines that are looked for, by where they stand in the value of revision `at`. */
export interface Blame {
  readonly found: readonly LineOrigin[];
  readonly open: readonly { readonly line: number; readonly place: number }[];
  readonly at: BlamedRevision;
}

export function startBlame(at: BlamedRevision): Blame {
  return { found: [], open: toLines(at.value).map((_, line) => ({ line, place: line })), at };
}

/** The revision to look at next; undefined once every line has its origin. */
export function nextToBlame({ open, at }: Blame): number | undefined {
  if (open.length === 0) return undefined;
  const { operation } = at;
  switch (operation.kind) {
    case 'undo':
    case 'redo':
    case 'restore':
      // What was brought back was written by whoever wrote it first.
      return operation.to;
    default:
      return at.revision - 1;
  }
}

/** Looks at the revision of `nextToBlame`: lines that it doesn't have were written by the one after it. */
export function blameStep(blame: Blame, before: BlamedRevision): Blame {
  const places = new Map(
    keptLines(toLines(before.value), toLines(blame.at.value)).map(([old, now]) => [now, old]),
  );
  const found = [...blame.found];
  const open: { line: number; place: number }[] = [];
  for (const { line, place } of blame.open) {
    const earlier = places.get(place);
    if (earlier === undefined) found.push({ line, revision: blame.at.revision });
    else open.push({ line, place: earlier });
  }
  return { found, open, at: before };
}

/** The revision of each line, in the lines' order. What is still looked for was there from the first one on. */
export function endBlame({ found, open, at }: Blame): readonly number[] {
  const origins = [...found, ...open.map(({ line }) => ({ line, revision: at.revision }))];
  return origins.sort((a, b) => a.line - b.line).map(({ revision }) => revision);
}
