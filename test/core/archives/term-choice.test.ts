import { describe, expect, it } from '@jest/globals';
import { chooseConjunctions, weightOf } from '../../../core/archives/term-choice.js';

const rare = { term: 'aurora', share: 0.001 };
const usual = { term: 'boat', share: 0.02 };
const common = { term: 'sea', share: 0.1 };
const everywhere = { term: 'said', share: 0.5 };
const room = { rows: 100_000, most: 2_000 };

describe('the choice of search words', () => {
  it('uses rare words alone and common words in pairs, rarest first [archival.words-bounded]', () => {
    expect(chooseConjunctions([everywhere, common, usual, rare], room)).toEqual([
      ['aurora'],
      ['boat', 'sea'],
      ['boat', 'said'],
    ]);
  });

  it('uses every word alone when there are few rows', () => {
    expect(chooseConjunctions([everywhere, rare], { rows: 100, most: 2_000 })).toEqual([
      ['aurora'],
      ['said'],
    ]);
  });

  it('uses the rarest word when all words are too common', () => {
    expect(chooseConjunctions([everywhere], room)).toEqual([['said']]);
  });

  it('is empty for a query without words', () => {
    expect(chooseConjunctions([], room)).toEqual([]);
  });

  it('makes few pairs from many words', () => {
    const words = Array.from({ length: 500 }, (_, place) => ({ term: `w${place}`, share: 0.03 }));

    expect(chooseConjunctions(words, room).length).toBeLessThanOrEqual(66);
  });

  it('gives rarer words more weight', () => {
    expect([everywhere, common, usual, rare].map(weightOf)).toEqual(
      [everywhere, common, usual, rare].map(weightOf).sort((a, b) => a - b),
    );
  });
});
