import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyOperation } from '../../../core/blocks/operations.js';
import { applyPatch } from '../../../core/blocks/patches.js';
import { unifiedDiff } from '../../../core/blocks/unified-diff.js';

describe('[patch.places] applyPatch', () => {
  it.each<[what: string, value: string, patch: string, expected: string]>([
    ['a change between context lines', 'one\ntwo\nthree', ' one\n-two\n+2\n three', 'one\n2\nthree'],
    ['a change without context lines', 'one\ntwo', '-two\n+2', 'one\n2'],
    ['several hunks', 'a\nb\nc\nd', '@@\n-a\n+A\n@@ -9,1 +9,1 @@\n-d\n+D', 'A\nb\nc\nD'],
    ['a hunk that matches the result of an earlier one', 'a', '-a\n+b\n@@\n-b\n+c', 'c'],
    ['added lines without context, at the end', 'a', '+b\n+c', 'a\nb\nc'],
    ['a patch of an empty text', '', '+a', 'a'],
    ['a patch that removes all lines', 'a\nb', '-a\n-b', ''],
    ['an empty context line without its leading space', 'a\n\nb', ' a\n\n-b\n+c', 'a\n\nc'],
    ['hunks with blank lines around them', 'a\nb', '\n-a\n+A\n\n@@\n-b\n+B\n', 'A\nB'],
    ['a patch with Windows line endings', 'a\nb', '-a\r\n+A\r\n', 'A\nb'],
    ['a patch with file headers', 'a', '--- a/human\n+++ b/human\n@@ -1 +1 @@\n-a\n+b', 'b'],
    ['lines that look like file headers', '-- a\nb', '--- a\n+++ b\n b', '++ b\nb'],
    [
      'a patch with the begin and end marks of other programs',
      'a',
      '*** Begin Patch\n-a\n+b\n*** End Patch',
      'b',
    ],
    [
      'spaces that stand for tabs, and keeps the tabs of unchanged lines',
      '\ta\nb',
      '         a\n-b\n+c',
      '\ta\nc',
    ],
  ])('applies %s', (_what, value, patch, expected) => {
    expect(applyPatch(value, patch)).toEqual({ kind: 'patched', value: expected });
  });

  it.each<[what: string, value: string, patch: string, outcome: ReturnType<typeof applyPatch>]>([
    ['without a hunk', 'a', '@@\n\n', { kind: 'empty' }],
    ['whose only line has no sign', 'a', 'make it better', { kind: 'unreadable', line: 'make it better' }],
    ['with a line without a sign', 'a\nb', '-a\n+A\nb\n+c', { kind: 'unreadable', line: 'b' }],
    [
      'with a header of another program',
      'a',
      '*** Update File: a\n-a',
      { kind: 'unreadable', line: '*** Update File: a' },
    ],
    ['that matches only part of a line', 'concat', '-cat\n+dog', { kind: 'missing', expected: 'cat' }],
    ['whose lines are not adjacent', 'a\nb\nc', ' a\n-c', { kind: 'missing', expected: 'a\nc' }],
    ['whose second hunk does not match', 'a', '-a\n+b\n@@\n-a', { kind: 'missing', expected: 'a' }],
    ['that matches two places', 'a\nb\na', '-a\n+c', { kind: 'ambiguous', expected: 'a', lines: [1, 3] }],
  ])('refuses a patch %s', (_what, value, patch, outcome) => {
    expect(applyPatch(value, patch)).toEqual(outcome);
  });

  it('turns one text into another by their unified diff', () => {
    const lines = fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 7 })
      .map((all) => all.join('\n'));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before !== after);
        expect(applyPatch(before, unifiedDiff(before, after))).toEqual({ kind: 'patched', value: after });
      }),
    );
  });
});

describe('[patch.places] the patch operation', () => {
  const block = { label: 'human', value: 'Name: Sid\nLikes tea', limit: 30, readOnly: false, revision: 7 };
  const seen = { revision: 6, value: 'Name: Ada\nLikes tea' };
  const refusalOf = (patch: string, more: object = {}) =>
    applyOperation({ ...block, ...more }, { kind: 'patch', patch });

  it.each([
    ['read_only', { readOnly: true }, '-Likes tea', /^This block is read-only/],
    [
      'not_found',
      {},
      '-Likes milk',
      /not applied: memory block `human` does not contain these lines:\nLikes milk\n.*Its current value is:\nName: Sid/s,
    ],
    ['not_found', {}, '@@', /no hunk.*Its current value is:\nName: Sid/s],
    ['bad_line', {}, '-Likes tea\nLikes milk', /and `Likes milk` does not\. Nothing was written/s],
    [
      'conflict',
      { seen },
      '-Name: Ada\n+Name: Eve',
      /Somebody else changed the block after you read it.*-Name: Ada\n\+Name: Sid/s,
    ],
    ['ambiguous', { value: 'a\na' }, '-a', /more than once, starting at lines \[1, 2\]/],
    ['bad_line', {}, '-Likes tea\n+2→ Likes milk', /^patch contains a line number prefix/],
    ['too_long', {}, '+Has a boat and a cat', /Exceeds 30 character limit \(requested 40\)/],
  ])('is refused as %s', (code, more, patch, message) => {
    expect(refusalOf(patch, more)).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(message),
    });
  });
});
