import { describe, expect, it } from '@jest/globals';
import { recallPage, scopesOf } from '../../../core/tools/unified-recall.js';

describe('[recall.filters] scopesOf', () => {
  it.each([
    [{}, ['messages', 'passages', 'files']],
    [{ scope: ['files', 'messages'] }, ['messages', 'files']],
    [{ scope: ['the attic'] }, ['messages', 'passages', 'files']],
    [{ roles: ['user'] }, ['messages']],
    [{ tags: ['boat'] }, ['passages']],
    [{ roles: ['user'], tags: ['boat'] }, ['messages', 'passages']],
    [{ scope: ['files'], roles: ['user'] }, ['files']],
  ])('turns %j into %j', (asked, scopes) => {
    expect(scopesOf(asked)).toEqual(scopes);
  });
});

describe('[recall.filters] recallPage', () => {
  it.each([
    [5, 1, { from: 0, to: 5, depth: 6, next: 2 }],
    [5, 3, { from: 10, to: 15, depth: 16, next: 4 }],
    [0, 0, { from: 0, to: 1, depth: 2, next: 2 }],
    [1_000, 1, { from: 0, to: 50, depth: 51, next: 2 }],
    [2.9, 2.9, { from: 2, to: 4, depth: 5, next: 3 }],
    [10, 49, { from: 480, to: 490, depth: 491, next: 50 }],
    [10, 50, { from: 490, to: 500, depth: 500, next: null }],
    [7, 72, { from: 497, to: 500, depth: 500, next: null }],
    [10, 51, undefined],
    [7, 73, undefined],
    [10, 1e9, undefined],
  ])('computes a page of %d results, number %d', (limit, page, expected) => {
    expect(recallPage(limit, page)).toEqual(expected);
  });
});
