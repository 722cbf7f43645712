import { buffer } from 'node:stream/consumers';
import { cutIntoChunks } from '../../core/files/chunking.js';
import { countTokens } from '../tokens.js';
import { documentText } from './document-text.js';
import type { ReadEvent } from './document-reader.js';

/**
 * A process that reads one document: from standard input, with its name and the chunk sizes as arguments. Writes one
 * `ReadEvent` as JSON per line to standard output. It may be killed at any moment.
 */
const [name = '', chunkSize = '300', chunkOverlap = '0'] = process.argv.slice(2);

/** Characters of a part: stored in one row, and read to show some lines. */
const partLength = 32_768;

function say(event: ReadEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function main(): Promise<void> {
  const text = await documentText(await buffer(process.stdin), name);
  if (typeof text !== 'string') {
    say({ kind: 'unreadable', reason: text.unreadable });
    return;
  }
  const lines = sayParts(text);
  const chunks = cutIntoChunks(text, {
    size: Number(chunkSize),
    overlap: Number(chunkOverlap),
    countTokens,
  });
  for (const [index, chunk] of chunks.entries()) say({ kind: 'chunk', index, ...chunk });
  say({ kind: 'end', chunks: chunks.length, lines, characters: text.length });
}

/** Writes the text in parts of whole lines, and returns the number of lines. */
function sayParts(text: string): number {
  let index = 0;
  let start = 0;
  let line = 1;
  while (start < text.length) {
    const at = text.indexOf('\n', start + partLength);
    const part = text.slice(start, at === -1 ? text.length : at + 1);
    say({ kind: 'part', index, firstLine: line, text: part });
    line += part.match(/\n/g)?.length ?? 0;
    start += part.length;
    index += 1;
  }
  return text.endsWith('\n') ? line - 1 : line;
}

await main();
