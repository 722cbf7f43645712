import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '../../../core/blocks/operations.js';
import { fitSummary, inChunks, summariserTimeLeft, withHardNotice } from '../../../core/threads/summary.js';

describe('inChunks', () => {
  const sizeOf = (size: number) => size;

  it.each<[string, number[], number[][]]>([
    ['no items into no chunks', [], []],
    ['items that fit into one chunk', [3, 3, 4], [[3, 3, 4]]],
    ['items that do not fit into one chunk', [3, 8, 4], [[3], [8], [4]]],
    ['an item that is too large into a chunk of its own', [30, 1, 2], [[30], [1, 2]]],
  ])('groups %s', (_, items, chunks) => {
    expect(inChunks(items, 10, sizeOf)).toEqual(chunks);
  });

  it('keeps every item in order, and overfills only chunks of one item', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (items) => {
        const chunks = inChunks(items, 10, sizeOf);
        expect(chunks.flat()).toEqual(items);
        for (const chunk of chunks) {
          expect(chunk.length).toBeGreaterThan(0);
          if (chunk.length > 1) expect(chunk.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});

describe('summariserTimeLeft', () => {
  it('[eviction.in-time] gives the summariser half of the time since the eviction was requested', () => {
    expect(summariserTimeLeft({ usedMs: 1_000, withinMs: 600_000 })).toBe(299_000);
  });
});

describe('fitSummary', () => {
  it('keeps a summary that fits', () => {
    expect(fitSummary('  Short. \n', 20)).toBe('Short.');
  });

  it('cuts a rambling summary after a sentence', () => {
    expect(fitSummary('One sentence. Another one. And a third that is too long.', 30)).toBe(
      'One sentence. Another one.',
    );
  });

  it('cuts anywhere when no sentence ends', () => {
    expect(fitSummary('🙂'.repeat(50), 10)).toBe('🙂'.repeat(10));
  });

  it('never exceeds its size', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.nat(30),
        (text, max) => codePoints(fitSummary(text, max)) <= max,
      ),
    );
  });
});

describe('withHardNotice', () => {
  const once =
    '12 older messages left your context because it was full, and could not be summarised. They are not lost: conversation_search finds them in recall memory.';

  it('says how many messages left and where to find them', () => {
    expect(withHardNotice('', 12)).toBe(once);
  });

  it('puts the notice before the summary of older messages', () => {
    expect(withHardNotice('We spoke of the sea.', 12)).toBe(`${once}\nWe spoke of the sea.`);
  });

  it('adds up the counts of repeated notices', () => {
    const twice = withHardNotice(withHardNotice('We spoke of the sea.', 12), 3);

    expect(twice).toBe(`${once.replace('12', '15')}\nWe spoke of the sea.`);
    expect(withHardNotice(withHardNotice('', 1), 11)).toBe(once);
  });
});
