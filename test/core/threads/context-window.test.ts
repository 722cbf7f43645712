import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { windowAfterRefusal, windowOf } from '../../../core/threads/context-window.js';

describe('windowOf', () => {
  const known = { described: 128_000, limit: null, learned: null, model: 'a/small' };

  it.each([
    ['the model’s size', {}, 128_000],
    ['the agent’s limit', { limit: 30_000 }, 30_000],
    ['the agent’s limit, even above the model’s stated size', { limit: 200_000 }, 200_000],
    ['the size learned from the provider', { learned: { model: 'a/small', tokens: 8_000 } }, 8_000],
    [
      'the smaller of the limit and the learned size',
      { limit: 4_000, learned: { model: 'a/small', tokens: 8_000 } },
      4_000,
    ],
    [
      '[window.learned] not the size learned for another model',
      { learned: { model: 'a/tiny', tokens: 2_000 } },
      128_000,
    ],
  ])('is %s', (_, more, window) => {
    expect(windowOf({ ...known, ...more })).toBe(window);
  });
});

describe('windowAfterRefusal', () => {
  it.each([
    ['four fifths of the refused size', { refused: 10_000, largestTaken: null }, 8_000],
    [
      'not less than the largest accepted size [window.floor]',
      { refused: 10_000, largestTaken: 9_500 },
      9_500,
    ],
    ['four fifths when less was accepted before', { refused: 10_000, largestTaken: 3_000 }, 8_000],
    ['four fifths when the window has shrunk since', { refused: 10_000, largestTaken: 20_000 }, 8_000],
  ])('is %s', (_, seen, window) => {
    expect(windowAfterRefusal(seen)).toBe(window);
  });

  it('is always less than the refused size, so that each refusal makes progress', () => {
    const sizes = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(sizes, fc.option(sizes), (refused, largestTaken) => {
        expect(windowAfterRefusal({ refused, largestTaken })).toBeLessThan(refused);
      }),
    );
  });
});
