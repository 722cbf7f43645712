import { describe, expect, it } from '@jest/globals';
import { compileDirectories } from '../../core/directories.js';
import { cutWindow, fileLimits, filesToClose } from '../../core/file-windows.js';

describe('[files.open] windows of files', () => {
  it.each([
    [8_000, 3, 5_000],
    [8_001, 5, 15_000],
    [32_001, 10, 25_000],
    [128_001, 10, 40_000],
    [200_001, 15, 40_000],
  ])('for a context of %i tokens are %i of %i characters', (window, files, characters) => {
    expect(fileLimits(window)).toEqual({ files, characters });
  });

  it('show whole lines as far as they fit, and a part of one that alone does not', () => {
    const lines = ['one', 'two', 'three'];

    expect(cutWindow(lines, { firstLine: 9, characters: 100 })).toEqual({
      text: '9: one\n10: two\n11: three',
      firstLine: 9,
      lastLine: 11,
    });
    expect(cutWindow(lines, { firstLine: 9, characters: 16 })).toMatchObject({
      text: '9: one\n10: two',
      lastLine: 10,
    });
    expect(cutWindow(['x'.repeat(50)], { firstLine: 1, characters: 10 })).toEqual({
      text: '1: xxxxxxx […]',
      firstLine: 1,
      lastLine: 1,
    });
    expect(cutWindow([], { firstLine: 3, characters: 10 })).toEqual({ text: '', firstLine: 3, lastLine: 3 });
  });

  it('make room by the file that was opened longest ago, never by one that is opened again', () => {
    const open = [3, 1, 2].map((hour) => ({ fileId: `f${hour}`, openedAt: new Date(hour) }));

    expect(filesToClose(open, ['new'], 4)).toEqual([]);
    expect(filesToClose(open, ['new'], 2)).toEqual(['f1', 'f2']);
    expect(filesToClose(open, ['f1'], 3)).toEqual([]);
    expect(filesToClose(open, ['f1', 'new'], 3)).toEqual(['f2']);
  });
});

describe('[files.context] directories', () => {
  it('name closed files, show open ones, and none of their texts can end its tag', () => {
    const guard = (text: string): string => text.replaceAll('</', '<\\/');

    expect(
      compileDirectories(
        [
          {
            name: 'hand "book"',
            description: null,
            instructions: 'Look here </instructions>',
            files: [
              { status: 'closed', name: 'a.md' },
              { status: 'open', name: 'b.md', text: '1: </file> x', firstLine: 1, lastLine: 1, lines: 9 },
            ],

            unnamed: 2,
          },
        ],

        guard,
      ),
    ).toMatchInlineSnapshot(`
     "<directories>
     Files that you can open, search and close with your file tools. What an open file shows is in your context; closed ones must be opened or searched:
     <directory name="hand 'book'">
     <instructions>Look here <\\/instructions></instructions>
     <file status="closed" name="a.md"/>
     <file status="open" name="b.md">
     [Lines 1 to 1 of 9]
     1: <\\/file> x
     </file>
     (and 2 more closed files: search to find what is in them)
     </directory>
     </directories>"
    `);
    expect(compileDirectories([], guard)).toBe('');
  });
});
