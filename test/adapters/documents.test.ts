import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDocumentReader, type ReadEvent } from '../../adapters/documents/document-reader.js';
import { documentText } from '../../adapters/documents/document-text.js';
import { formatOf } from '../../adapters/documents/format.js';
import { type DocumentLimits, readerProgram } from '../../adapters/documents/start-reader.js';
import { openSandbox } from '../../adapters/sandbox/open-sandbox.js';
import type { Isolation, Sandbox } from '../../adapters/sandbox/sandbox.js';
import {
  bestIsolation,
  describeEachIsolation,
  describeIsolated,
  sandboxModes,
} from '../support/tools/isolation.js';
import { aBomb, aDocx, anEncryptedPdf, aPdf, aSwollenPdf, aZip } from '../support/files/documents.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

// Made once for all isolations.
const bomb = aBomb(60);
const swollen = await aSwollenPdf(192);

let sandbox: (() => Promise<Sandbox>) | undefined;

async function read(
  name: string,
  bytes: Buffer,
  options: { limits?: DocumentLimits; signal?: AbortSignal; chunkSize?: number } = {},
): Promise<ReadEvent[]> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let start = 0; start < bytes.length; start += 65_536) {
      yield await Promise.resolve(bytes.subarray(start, start + 65_536));
    }
  }
  const events: ReadEvent[] = [];
  const { limits, signal, chunkSize = 300 } = options;
  const input = { name, pieces: pieces(), chunkSize, chunkOverlap: 0, signal };
  for await (const event of createDocumentReader({ limits, sandbox }).read(input)) events.push(event);
  return events;
}

function textOf(events: readonly ReadEvent[]): string {
  return events.map((event) => (event.kind === 'part' ? event.text : '')).join('');
}

/** Makes the surrounding tests read documents with this isolation. */
function readIn(isolation: Isolation): void {
  beforeAll(() => {
    const opened = openSandbox({ mode: sandboxModes[isolation], warn: () => undefined });
    sandbox = () => opened;
  });
}

describe('documents', () => {
  readIn(bestIsolation);

  it('[files.formats] are recognised by their content, whatever their names', async () => {
    const pdf = await aPdf([['x']]);
    expect(formatOf(pdf, 'notes.txt')).toBe('pdf');
    expect(formatOf(aDocx(['x']), 'a.zip')).toBe('docx');
    expect(formatOf(Buffer.from('<!DOCTYPE html><p>x'), 'page')).toBe('html');
    expect(formatOf(Buffer.from('<p>x</p>'), 'page.html')).toBe('html');
    expect(formatOf(Buffer.from('# Title'), 'readme.md')).toBe('text');
    expect(formatOf(Buffer.from('BM is short for something'), 'a.txt')).toBe('text');
    expect(formatOf(Buffer.from('\ufeffgrüße', 'utf16le'), 'a.txt')).toBe('text');
    expect(formatOf(png, 'report.pdf')).toEqual({ unreadable: 'picture' });
    expect(formatOf(aZip({ 'a.txt': 'x' }), 'a.docx')).toEqual({ unreadable: 'unknown_format' });
    expect(formatOf(Buffer.from([0, 1, 2, 3]), 'a.txt')).toEqual({ unreadable: 'unknown_format' });
    expect(formatOf(Buffer.alloc(0), 'a.txt')).toEqual({ unreadable: 'empty' });
  });

  it('[stack.compiled] are read by the compiled reader program', async () => {
    expect(await readerProgram()).toMatch(/reader-[0-9a-f]{24}\.mjs$/);
  });

  it('[files.formats] in PDF give their lines, with a blank line after a paragraph', async () => {
    const events = await read('a.pdf', await aPdf([['Days of leave', '', '', 'are 25.'], ['Page two.']]));

    expect(textOf(events)).toBe('Days of leave\n\nare 25.\n\nPage two.');
    expect(events.at(-1)).toEqual({ kind: 'end', chunks: 1, lines: 5, characters: 33 });
  });

  it('[files.formats] in Word and HTML become Markdown without scripts', async () => {
    const word = await documentText(aDocx(['# Leave', 'It is 25 days.']), 'a.docx');
    const html = await documentText(
      Buffer.from(
        '<html><script>x()</script><h1>Leave</h1><table><tr><td>25</td><td>days</td></tr></table></html>',
      ),
      'a.html',
    );

    expect(word).toBe('# Leave\n\nIt is 25 days.');
    expect(html).toMatch(/^# Leave\n[\s\S]*\| 25 \| days \|/);
    expect(html).not.toContain('x()');
  });

  it('[files.formats] in plain text are decoded from their own encoding', async () => {
    expect(await documentText(Buffer.from('grüße\r\nwelt'), 'a.txt')).toBe('grüße\nwelt');
    expect(await documentText(Buffer.from('gr\u00fc\u00dfe', 'latin1'), 'a.txt')).toBe('grüße');
    expect(await documentText(Buffer.from('\ufeffgrüße', 'utf16le'), 'a.txt')).toBe('grüße');
  });

  it('[files.chunks] give chunks with line numbers, and text parts of whole lines', async () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `Line ${index} of the handbook.`).join('\n');

    const events = await read('a.md', Buffer.from(text), { chunkSize: 100 });

    const parts = events.filter((event) => event.kind === 'part');
    const chunks = events.filter((event) => event.kind === 'chunk');
    expect(textOf(events)).toBe(text);
    expect(parts.length).toBeGreaterThan(1);
    const lines = text.split('\n');
    for (const part of parts) expect(part.text.startsWith(`${lines[part.firstLine - 1]!}\n`)).toBe(true);
    for (const chunk of chunks) {
      expect(chunk.text).toBe(lines.slice(chunk.firstLine - 1, chunk.lastLine).join('\n'));
    }
    expect(chunks.map((chunk) => chunk.index)).toEqual(chunks.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ kind: 'end', chunks: chunks.length, lines: 3_000 });
  });

  it.each([
    ['an encrypted PDF', 'a.pdf', () => anEncryptedPdf(), 'encrypted'],
    ['a broken PDF', 'a.pdf', () => Buffer.from('%PDF-1.7\nnothing of the kind'), 'broken'],
    ['a broken Word document', 'a.docx', () => aDocx(['x']).subarray(0, -60), 'broken'],
    ['a renamed picture', 'a.pdf', () => png, 'picture'],
    ['blank text', 'a.txt', () => Buffer.from(' \n\n'), 'empty'],
    ['a page without text', 'a.html', () => Buffer.from('<html><img src="x"></html>'), 'no_text'],
  ])('[files.unreadable] are refused with the reason: %s', async (_kind, name, bytes, reason) => {
    expect(await documentText(bytes(), name)).toEqual({ unreadable: reason });
  });

  it('[files.unreadable] are refused with the reason: a PDF without text', async () => {
    expect(await read('a.pdf', await aPdf([[], []]))).toEqual([{ kind: 'unreadable', reason: 'no_text' }]);
  });
});

describeEachIsolation('documents, in %s,', (isolation) => {
  readIn(isolation);

  it('[files.formats] are read', async () => {
    const text = await Promise.all([
      read('a.pdf', await aPdf([['Days of leave']])),
      read('a.docx', aDocx(['# Leave'])),
      read('a.html', Buffer.from('<p>25 days</p>')),
      read('a.txt', Buffer.from('25 Tage')),
    ]);

    expect(text.map(textOf)).toEqual(['Days of leave', '# Leave', '25 days', '25 Tage']);
  });

  it('[files.reader-bounds] fail alone when they take too much memory or time', async () => {
    expect(bomb.length).toBeLessThan(200_000);

    expect(await read('a.docx', bomb, { limits: { timeoutMs: 150_000, memoryMb: 120 } })).toEqual([
      { kind: 'unreadable', reason: 'too_large' },
    ]);
    expect(await read('a.docx', bomb, { limits: { timeoutMs: 400, memoryMb: 4_000 } })).toEqual([
      { kind: 'unreadable', reason: 'too_slow' },
    ]);
  });

  it('[files.reader-bounds] fail alone when they take too much memory outside the heap', async () => {
    const limits = { timeoutMs: 150_000, memoryMb: 300 };

    expect(await read('a.pdf', swollen, { limits })).toEqual([{ kind: 'unreadable', reason: 'too_large' }]);
  });

  it('[files.reader-bounds] are abandoned when the caller aborts', async () => {
    const abort = new AbortController();
    // More than a pipe holds, so the reader is killed while it is being fed.
    const reading = read('a.txt', Buffer.alloc(64_000_000, 'word '), {
      limits: { timeoutMs: 150_000, memoryMb: 4_000 },
      signal: abort.signal,
    });
    abort.abort(new Error('cancelled by its user'));

    await expect(reading).rejects.toThrow('cancelled by its user');
  });
});

describeIsolated('the document reader', () => {
  it('[files.reader-isolated] runs in the sandbox with only our programs readable', async () => {
    const real = await openSandbox({ mode: 'strict', warn: () => undefined });
    const readable: string[] = [];
    const watched: Sandbox = {
      ...real,
      start: (program) => {
        readable.push(...program.readable);
        return real.start(program);
      },
    };
    sandbox = () => Promise.resolve(watched);

    expect(textOf(await read('a.docx', aDocx(['Read.'])))).toBe('Read.');
    expect(readable.map((path) => basename(path))).toEqual([
      'node',
      'package.json',
      'adapters',
      'core',
      'node_modules',
    ]);
  });
});
