import { describe, expect, it } from '@jest/globals';
import { cutIntoBatches } from '../../core/batches.js';

const cut = (weights: readonly number[]): number[][] =>
  cutIntoBatches(weights, { items: 3, weight: 10, weigh: (weight) => weight });

describe('batches', () => {
  it.each([
    ['nothing', [], []],
    ['no more items than allowed', [1, 1, 1, 1], [[1, 1, 1], [1]]],
    ['no more weight than allowed', [5, 5, 1, 9, 2], [[5, 5], [1, 9], [2]]],
    ['what is too heavy alone, and nothing beside it', [1, 11, 1], [[1], [11], [1]]],
    ['weightless items by their number', [0, 0, 0, 0], [[0, 0, 0], [0]]],
  ])('hold %s', (_, weights, batches) => {
    expect(cut(weights)).toEqual(batches);
  });
});
