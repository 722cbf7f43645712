import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeTexts } from '../../../schema/blocks/three-way.js';

describe('merging a branch into its block', () => {
  it.each([
    ['only the branch changed', 'a', 'b', 'a', 'b'],
    ['only the block changed', 'a', 'a', 'b', 'b'],
    ['both made the same change', 'a', 'b', 'b', 'b'],
    ['they changed different lines', 'a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD', 'A\nb\nc\nD'],
    ['both added at the end', 'a', 'a\nours', 'a\ntheirs', 'a\ntheirs\nours'],
    ['both filled an empty block', '', 'ours', 'theirs', 'theirs\nours'],
    ['both added the same line', 'a', 'a\nx\nours', 'a\nx', 'a\nx\nours'],
    ['one changed a line and one added after it', 'a\nb', 'a\nb\nours', 'a\nB', 'a\nB\nours'],
    ['one changed a line and one added before it', 'b', 'ours\nb', 'B', 'ours\nB'],
    ['one changed the first line and one added at the end', 'a\nb\nc', 'A\nb\nc', 'a\nb\nc\nd', 'A\nb\nc\nd'],
  ])('succeeds when %s [sleep.merge]', (_when, base, ours, theirs, value) => {
    expect(mergeTexts({ base, ours, theirs })).toEqual({ kind: 'merged', value });
  });

  it('keeps the lines of others when both changed the same lines [sleep.merge]', () => {
    const texts = { base: 'a\ntea\nc\nd', ours: 'a\ngreen tea\nc\nD', theirs: 'a\ncoffee\nc\nd' };

    expect(mergeTexts(texts)).toEqual({ kind: 'conflict', theirs: 'a\ncoffee\nc\nD' });
  });

  it('never loses a line that the others added [sleep.merge]', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.nat(8), (base, ours, at) => {
        const added = [...base.slice(0, at), 'of the others', ...base.slice(at)];
        const merge = mergeTexts({ base: base.join('\n'), ours: ours.join('\n'), theirs: added.join('\n') });
        const value = merge.kind === 'merged' ? merge.value : merge.theirs;
        expect(value.split('\n')).toContain('of the others');
      }),
    );
  });
});
