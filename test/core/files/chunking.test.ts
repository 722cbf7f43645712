import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Chunk, cutIntoChunks } from '../../../core/files/chunking.js';
import { suffixedName } from '../../../core/files/files.js';

/** One token for each word, or for each four letters of a long word: easy to count by hand. */
const countTokens = (text: string): number =>
  text.split(/\s+/).reduce((sum, word) => sum + Math.ceil(word.length / 4), 0);

function cut(text: string, size: number, overlap = 0): readonly Chunk[] {
  return cutIntoChunks(text, { size, overlap, countTokens });
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('[files.chunks] chunks', () => {
  it('end where paragraphs end, and carry their line numbers', () => {
    const text = 'one two\nsix\n\nten ox\n\n\nred pig';

    expect(cut(text, 8)).toEqual([
      { text: 'one two\nsix\n\nten ox', firstLine: 1, lastLine: 4 },
      { text: 'red pig', firstLine: 7, lastLine: 7 },
    ]);
  });

  it('keep a heading with what follows it', () => {
    const text = 'one two six ten\n\n# Head\n\nred pig ox cat hen';

    expect(cut(text, 10).map((chunk) => chunk.text)).toEqual([
      'one two six ten',
      '# Head\n\nred pig ox cat hen',
    ]);
  });

  it('begin with a heading without repeating the chunk before it', () => {
    const chunks = cut('one two six ten red\n\n## Next\n\npig', 10, 4);

    expect(chunks.map((chunk) => chunk.text)).toEqual(['one two six ten red', '## Next\n\npig']);
  });

  it('repeat the end of the previous chunk, as far as the overlap allows', () => {
    const chunks = cut('one\ntwo\nsix\nten\nred\npig', 6, 2);

    expect(chunks.map((chunk) => chunk.text)).toEqual(['one\ntwo\nsix', 'six\nten\nred', 'red\npig']);
    expect(chunks.map((chunk) => chunk.firstLine)).toEqual([1, 3, 5]);
  });

  it('split a long paragraph between sentences, and a long word anywhere', () => {
    expect(cut('One ox. Two red pigs.', 5).map((chunk) => chunk.text)).toEqual(['One ox.', 'Two red pigs.']);
    expect(
      cut('x'.repeat(40), 8)
        .map((chunk) => chunk.text)
        .join(''),
    ).toBe('x'.repeat(40));
  });

  it('are not made from a text without words', () => {
    expect(cut(' \n\n ', 8)).toEqual([]);
  });

  const line = fc.oneof(
    fc.constant(''),
    fc
      .array(fc.stringMatching(/^[a-z#.]{1,12}$/), { minLength: 1, maxLength: 12 })
      .map((words) => words.join(' ')),
    fc.stringMatching(/^#{1,3} [a-z]{1,9}$/),
  );
  const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

  it('hold every word of any text once and in order', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 40 }), (given, size) => {
        const words = cut(given, size).flatMap((chunk) => wordsOf(chunk.text));

        expect(words.join('')).toBe(wordsOf(given).join(''));
      }),
    );
  });

  it('never exceed the size, and move forward through the lines, with any overlap', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 8, max: 40 }),
        fc.integer({ min: 0, max: 4 }),
        (given, size, overlap) => {
          const chunks = cut(given, size, overlap);

          for (const chunk of chunks) expect(countTokens(chunk.text)).toBeLessThanOrEqual(size);
          chunks.slice(1).forEach((chunk, index) => {
            expect(chunk.lastLine).toBeGreaterThanOrEqual(chunks[index]!.lastLine);
            expect(chunk.firstLine).toBeLessThanOrEqual(chunk.lastLine);
          });
          const lines = given.split('\n');
          for (const chunk of chunks) {
            expect(lines.slice(chunk.firstLine - 1, chunk.lastLine).join(' ')).toContain(
              wordsOf(chunk.text)[0],
            );
          }
        },
      ),
    );
  });
});

describe('suffixedName', () => {
  it('[files.upload] puts the number before the extension', () => {
    expect(suffixedName('report.final.pdf', 2)).toBe('report.final_(2).pdf');
    expect(suffixedName('.env', 3)).toBe('.env_(3)');
  });
});
