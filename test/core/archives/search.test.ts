import { describe, expect, it } from '@jest/globals';
import { cosine, fuse, identifierTerms } from '../../../core/archives/search.js';

describe('fuse', () => {
  it('ranks items from several lists first', () => {
    expect(
      fuse([
        ['a', 'b', 'c'],
        ['b', 'd'],
      ]).map((item) => item.id),
    ).toEqual(['b', 'a', 'd', 'c']);
  });

  it('keeps the order of items with equal scores', () => {
    expect(fuse([['a'], ['b'], ['c']]).map((item) => item.id)).toEqual(['a', 'b', 'c']);
  });

  it('scores by reciprocal rank, counting each item once per list', () => {
    expect(fuse([['a', 'a', 'b']], 10)).toEqual([
      { id: 'a', score: 1 / 11 },
      { id: 'b', score: 1 / 12 },
    ]);
  });

  it('counts an empty place in the ranking', () => {
    expect(fuse([['a', undefined, undefined, 'b']], 10)).toEqual([
      { id: 'a', score: 1 / 11 },
      { id: 'b', score: 1 / 14 },
    ]);
  });

  it('multiplies the score of an item by its weight', () => {
    expect(
      fuse(
        [
          [
            { id: 'a', weight: 0.5 },
            { id: 'b', weight: 2 },
          ],
          ['a'],
        ],
        10,
      ),
    ).toEqual([
      { id: 'b', score: 2 / 12 },
      { id: 'a', score: 0.5 / 11 + 1 / 11 },
    ]);
  });

  it('returns nothing for empty lists', () => {
    expect(fuse([])).toEqual([]);
    expect(fuse([[], []])).toEqual([]);
  });
});

describe('identifierTerms', () => {
  it.each([
    ['what became of 7c9e6679-7425-40de-944b-e07fc1f90ae7?', ['7c9e6679-7425-40de-944b-e07fc1f90ae7']],
    ['order A-1042 and ticket JIRA-77.', ['A-1042', 'JIRA-77']],
    ['invoice 9981723, (customer K00017)', ['9981723', 'K00017']],
    ['v1.2.3-rc1 on host web01.example', ['v1.2.3-rc1', 'web01.example']],
    ['twice ABC123 and ABC123', ['ABC123']],
    ['which chocolate do I like', []],
    ['the meeting on 2024-01-15 at 10:30am, 3rd floor, 100km away', []],
    ['in 2024 he paid 1234.50 for 42 of them', []],
    ['2024-01-15T10:30:00Z', []],
    ['', []],
  ])('finds the identifiers in "%s"', (query, terms) => {
    expect(identifierTerms(query)).toEqual(terms);
  });
});

describe('cosine', () => {
  it.each([
    [[1, 0], [2, 0], 1],
    [[1, 0], [0, 3], 0],
    [[1, 2], [-1, -2], -1],
    [[0, 0], [1, 2], 0],
  ])('compares %j with %j', (a, b, expected) => {
    expect(cosine(a, b)).toBeCloseTo(expected, 12);
  });

  it('refuses vectors of different lengths', () => {
    expect(() => cosine([1], [1, 2])).toThrow(new RangeError('vectors of 1 and 2 dimensions'));
  });
});
