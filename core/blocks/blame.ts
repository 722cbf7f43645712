import type { RevisionOperation } from './blocks.js';
import { keptLines, toLines } from './line-diff.js';

/** The parts of a revision that blame reads. */
export interface BlamedRevision {
  readonly revision: number;
  readonly operation: RevisionOperation;
  readonly value: string;
}

/** A line of the blamed value, with the revision that wrote it once that is known. */
interface LineOrigin {
  readonly line: number;
  readonly revision: number;
}

/** Progress of a blame: the lines still searched for, by their index in the value of revision `at`. */
export interface Blame {
  readonly found: readonly LineOrigin[];
  readonly open: readonly { readonly line: number; readonly place: number }[];
  readonly at: BlamedRevision;
}

export function startBlame(at: BlamedRevision): Blame {
  return { found: [], open: toLines(at.value).map((_, line) => ({ line, place: line })), at };
}

/** The revision to read next; undefined once every line has its origin. */
export function nextToBlame({ open, at }: Blame): number | undefined {
  if (open.length === 0) return undefined;
  const { operation } = at;
  switch (operation.kind) {
    case 'undo':
    case 'redo':
    case 'restore':
      // A restored line belongs to the revision that first wrote it.
      return operation.to;
    default:
      return at.revision - 1;
  }
}

/** Compares with the revision that `nextToBlame` named: lines that it lacks were written by the one after it. */
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

/** The revision of each line, in order. Lines still searched for are as old as the first revision. */
export function endBlame({ found, open, at }: Blame): readonly number[] {
  const origins = [...found, ...open.map(({ line }) => ({ line, revision: at.revision }))];
  return origins.sort((a, b) => a.line - b.line).map(({ revision }) => revision);
}
