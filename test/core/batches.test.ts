import { describe, expect, it } from '@jest/globals';
import { cutIntoBatches } from '../../core/batches.js';

const cut = (weights: readonly number[]): number[][] =>
  cutIntoBatches(weights, { items: 3, weight: 10, weigh: (weight) => weight });

describe('batches', () => {
  it.each([
    ['nothing when there are no items', [], []],
    ['no more items than allowed', [1, 1, 1, 1], [[1, 1, 1], [1]]],
    ['no more weight than allowed', [5, 5, 1, 9, 2], [[5, 5], [1, 9], [2]]],
    ['an item that is too heavy, alone', [1, 11, 1], [[1], [11], [1]]],
    ['no more weightless items than allowed', [0, 0, 0, 0], [[0, 0, 0], [0]]],
  ])('hold %s', (_, weights, batches) => {
    expect(cut(weights)).toEqual(batches);
  });
});
