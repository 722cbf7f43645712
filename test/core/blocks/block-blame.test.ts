import { describe, expect, it } from '@jest/globals';
import {
  type BlamedRevision,
  blameStep,
  endBlame,
  nextToBlame,
  startBlame,
} from '../../../core/blocks/blame.js';
import type { RevisionOperation } from '../../../core/blocks/blocks.js';

/** Blames the last of these revisions, which are numbered from 1 on. */
function blamed(...revisions: readonly (readonly [value: string, operation?: RevisionOperation])[]) {
  const all = revisions.map(([value, operation = { kind: 'set', value }], index): BlamedRevision => ({
    ...{ revision: index + 1, operation, value },
  }));
  const looked: number[] = [];
  let blame = startBlame(all.at(-1)!);
  for (let next = nextToBlame(blame); next !== undefined && next > 0; next = nextToBlame(blame)) {
    looked.push(next);
    blame = blameStep(blame, all[next - 1]!);
  }
  return { origins: endBlame(blame), looked };
}

describe('[block.blame] blame', () => {
  it('names the revision that wrote each line, even after the line moved', () => {
    const { origins } = blamed(['a\nb'], ['a\nb\nc'], ['0\na\nb\nc'], ['0\na\nB\nc']);

    expect(origins).toEqual([3, 1, 4, 2]);
  });

  it('looks back no further than necessary, and is empty for an empty block', () => {
    expect(blamed(['a'], ['b'], ['c'])).toEqual({ origins: [3], looked: [2] });
    expect(blamed(['a'], [''])).toEqual({ origins: [], looked: [] });
  });

  it.each(['undo', 'redo', 'restore'] as const)(
    'credits lines that %s brought back to the revision that first wrote them',
    (kind) => {
      const { origins, looked } = blamed(['a'], ['a\nb'], ['x'], ['a\nb', { kind, to: 2 }], ['a\nb\nc']);

      expect(origins).toEqual([1, 2, 5]);
      expect(looked).toEqual([4, 2, 1]);
    },
  );
});
