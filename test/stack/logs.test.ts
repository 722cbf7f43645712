import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepLogsShort, readSince, setLongLogAside } from '../../stack/logs.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const tooLong = 20 * 1_048_576 + 1;

describe('[stack.logs] a log', () => {
  let directory: string;
  let log: string;

  beforeEach(() => {
    directory = makeTemporaryDirectory('logs');
    log = join(directory, 'part.log');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** Beyond 20 MiB, with that text at its end. */
  function lengthen(text: string): void {
    truncateSync(log, tooLong);
    appendFileSync(log, text);
  }

  it('is set aside while its part runs, which goes on writing to it', async () => {
    const writer = openSync(log, 'a');
    writeSync(writer, 'first\n');
    lengthen('last of the long one\n');
    const said: string[] = [];
    const end = keepLogsShort({
      logFiles: [join(directory, 'missing.log'), log],
      onProgress: (line) => said.push(line),
      everyMs: 10,
    });

    await waitFor(() => statSync(log).size === 0 || undefined, { timeoutMs: 90_000 });
    end();
    writeSync(writer, 'next\n');
    closeSync(writer);

    expect(said).toEqual([]);
    expect(readFileSync(log, 'utf8')).toBe('next\n');
    const aside = readFileSync(`${log}.1`, 'utf8');
    expect([aside.slice(0, 6), aside.slice(-21)]).toEqual(['first\n', 'last of the long one\n']);
  });

  it('takes the place of the one before it', () => {
    writeFileSync(`${log}.1`, 'older');
    writeFileSync(log, '');
    lengthen('newer');

    setLongLogAside(log);

    expect(readFileSync(`${log}.1`, 'utf8')).toMatch(/newer$/);
  });

  it('stays where it is up to 20 MiB', () => {
    writeFileSync(log, 'short');

    setLongLogAside(log);

    expect(readFileSync(log, 'utf8')).toBe('short');
    expect(statSync(`${log}.1`, { throwIfNoEntry: false })).toBeUndefined();
  });

  it.each([
    ['what came since', 6, 'second'],
    ['all of it, where it was set aside since', 600, 'first\nsecond'],
  ])('tells %s', (_, bytes, said) => {
    writeFileSync(log, 'first\nsecond\n');

    expect(readSince(log, bytes)).toBe(said);
  });
});
