import { describe, expect, it } from '@jest/globals';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { keptLines, toLines } from '../../../core/blocks/line-diff.js';
import { unifiedDiff } from '../../../core/blocks/unified-diff.js';

const text = fc
  .array(fc.constantFrom('one', 'two', 'three', 'four', '', '  indented'), { maxLength: 30 })
  .map((lines) => lines.join('\n'));

/** The text as `diff` reads it: every line ends with a newline. */
const ended = (value: string): string =>
  toLines(value)
    .map((line) => `${line}\n`)
    .join('');

describe('[block.difference] the difference between two texts', () => {
  it('is a patch that another program can apply', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patch = unifiedDiff(before, after);

        expect(applyPatch(ended(before), patch === '' ? '' : `${patch}\n`)).toBe(ended(after));
      }),
      { numRuns: 500 },
    );
  });

  it('pairs equal lines in increasing order', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [a, b] = [toLines(before), toLines(after)];
        const kept = keptLines(a, b);

        for (const [inA, inB] of kept) expect(a[inA]).toBe(b[inB]);
        kept.slice(1).forEach(([inA, inB], index) => {
          expect(inA).toBeGreaterThan(kept[index]![0]);
          expect(inB).toBeGreaterThan(kept[index]![1]);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('shows three context lines around each change', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const after = before.map((line) => (line === 'line 2' || line === 'line 15' ? `${line}, changed` : line));

    expect(unifiedDiff(before.join('\n'), after.join('\n'))).toMatchInlineSnapshot(`
     "@@ -1,6 +1,6 @@
      line 0
      line 1
     -line 2
     +line 2, changed
      line 3
      line 4
      line 5
     @@ -13,7 +13,7 @@
      line 12
      line 13
      line 14
     -line 15
     +line 15, changed
      line 16
      line 17
      line 18"
    `);
  });

  it('is empty for equal texts, and quick to find for very different ones', () => {
    const lines = (name: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${name} ${index}`).join('\n');

    expect(unifiedDiff('same\ntext', 'same\ntext')).toBe('');
    const patch = unifiedDiff(`first\n${lines('a')}\nlast`, `first\n${lines('b')}\nlast`);
    expect(patch.split('\n').slice(0, 3)).toEqual(['@@ -1,20002 +1,20002 @@', ' first', '-a 0']);
    expect(patch.split('\n')).toHaveLength(40_003);
  });
});
