import { describe, expect, it } from '@jest/globals';
import { compileDirectories } from '../../../core/files/directories.js';
import { cutWindow, describeWindow, fileLimits, filesToClose } from '../../../core/files/windows.js';

describe('[files.open] windows of files', () => {
  it.each([
    [8_000, 3, 5_000],
    [8_001, 5, 15_000],
    [32_001, 10, 25_000],
    [128_001, 10, 40_000],
    [200_001, 15, 40_000],
  ])('for a context of %i tokens: %i files of %i characters', (window, files, characters) => {
    expect(fileLimits(window)).toEqual({ files, characters });
  });

  it('show whole lines as far as they fit, or part of a single line that does not', () => {
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

  it.each([
    [1, null, '[Viewing file start (out of 9 lines)]'],
    [1, 2, '[Viewing lines 1 to 2 (out of 9 lines)]'],
    [4, null, '[Viewing lines 4 to 5 (out of 9 lines)]'],
  ])('say which lines they show, from line %i with a line count of %s', (firstLine, lineCount, said) => {
    const window = cutWindow(['one', 'two'], { firstLine, characters: 100 });

    expect(describeWindow(window, { lines: 9, lineCount }).split('\n')).toEqual([
      said,
      `${firstLine}: one`,
      `${firstLine + 1}: two`,
    ]);
  });

  it('close the file opened longest ago, but never one that is opened again', () => {
    const open = [3, 1, 2].map((hour) => ({ fileId: `f${hour}`, openedAt: new Date(hour) }));

    expect(filesToClose(open, ['new'], 4)).toEqual([]);
    expect(filesToClose(open, ['new'], 2)).toEqual(['f1', 'f2']);
    expect(filesToClose(open, ['f1'], 3)).toEqual([]);
    expect(filesToClose(open, ['f1', 'new'], 3)).toEqual(['f2']);
  });
});

describe('[files.context] directories', () => {
  it('name closed files, show open ones, and keep their text from closing a tag', () => {
    const guard = (text: string): string => text.replaceAll('</', '<\\/');

    expect(
      compileDirectories(
        {
          mostOpen: 5,
          sources: [
            {
              name: 'hand "book"',
              description: null,
              instructions: 'Look here </instructions>',
              files: [
                { status: 'closed', name: 'hand "book"/a.md' },
                { status: 'open', name: 'hand "book"/b.md', text: '[…]\n1: </file> x', limit: 25_000 },
              ],

              unnamed: 2,
            },
          ],
        },
        guard,
      ),
    ).toMatchInlineSnapshot(`
     "<directories>
     <file_limits>
     - current_files_open=1
     - max_files_open=5
     </file_limits>
     <directory name="hand 'book'">
     <instructions>Look here <\\/instructions></instructions>
     <file status="closed" name="hand 'book'/a.md">
     </file>
     <file status="open" name="hand 'book'/b.md">
     <metadata>
     - read_only=true
     - chars_current=16
     - chars_limit=25000
     </metadata>
     <value>
     […]
     1: <\\/file> x
     </value>
     </file>
     (and 2 more closed files: search to find their contents)
     </directory>
     </directories>"
    `);
    expect(compileDirectories({ sources: [], mostOpen: null }, guard)).toBe('');
  });
});
