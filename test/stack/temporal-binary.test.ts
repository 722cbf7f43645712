import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporalArchive, temporalVersion, type PinnedArchive } from '../../stack/temporal-archives.js';
import { findTemporalBinary } from '../../stack/temporal-binary.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

let directory: string;
let releases: Server | undefined;
let said: string[];

beforeEach(() => {
  directory = makeTemporaryDirectory('temporal-binary');
  releases = undefined;
  said = [];
});

afterEach(() => {
  releases?.close();
  releases?.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
});

const program = (...path: string[]): string => {
  const file = join(directory, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
};

const cached = () => join(directory, 'cache', temporalVersion, 'temporal');

const find = (options: { cli?: string; archive?: PinnedArchive } = {}) =>
  findTemporalBinary({
    ...options,
    searchPath: join(directory, 'bin'),
    cacheDir: join(directory, 'cache'),
    sdkDir: join(directory, 'sdk'),
    onProgress: (line) => said.push(line),
  });

/** An archive as a release's, and its checksum. */
function packArchive(): { bytes: Buffer; sha256: string } {
  program('release', 'temporal');
  const file = join(directory, 'temporal.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', join(directory, 'release'), 'temporal']);
  const bytes = readFileSync(file);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function serve(answer: RequestListener): Promise<string> {
  releases = createServer(answer).listen(0, '127.0.0.1');
  await once(releases, 'listening');
  return `http://127.0.0.1:${(releases.address() as AddressInfo).port}/temporal.tar.gz`;
}

describe('[stack.temporal-binary] findTemporalBinary', () => {
  it('takes TEMPORAL_CLI before the PATH before the cache', async () => {
    program('cache', temporalVersion, 'temporal');
    const fromCache = await find();
    const installed = program('bin', 'temporal');
    const fromPath = await find();
    const named = program('named');

    expect([fromCache, fromPath, await find({ cli: named })]).toEqual([cached(), installed, named]);
  });

  it('refuses a TEMPORAL_CLI that cannot be run', async () => {
    const file = join(directory, 'notes.txt');
    writeFileSync(file, 'notes');

    await expect(find({ cli: file })).rejects.toThrow(
      `TEMPORAL_CLI is ${file}, which is not an executable file`,
    );
  });

  it('[stack.pinned] downloads an archive whose checksum is the pinned one', async () => {
    const { bytes, sha256 } = packArchive();
    const url = await serve((_, response) => response.end(bytes));

    expect(await find({ archive: { url, sha256 } })).toBe(cached());
    expect(readFileSync(cached(), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('[stack.pinned] runs nothing out of an archive with another checksum', async () => {
    const { bytes, sha256 } = packArchive();
    const url = await serve((_, response) => response.end(bytes));
    const pinned = createHash('sha256').update('another').digest('hex');

    await expect(find({ archive: { url, sha256: pinned } })).rejects.toThrow(
      `its SHA-256 is ${sha256}, not ${pinned}`,
    );
    expect(existsSync(cached())).toBe(false);
  });

  it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])(
    '[stack.pinned] knows the checksum of the release for %s',
    (platform) => {
      const { url, sha256 } = temporalArchive(platform) ?? { url: '', sha256: '' };

      expect(url).toContain(`/v${temporalVersion}/`);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  it('[stack.progress] says how much of how much has come', async () => {
    const { bytes, sha256 } = packArchive();
    // What follows the archive's end is no part of it.
    const padded = Buffer.concat([bytes, Buffer.alloc(3_000_000 - bytes.length)]);
    const whole = createHash('sha256').update(padded).digest('hex');
    let send: () => void = () => undefined;
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': padded.length });
      response.write(padded.subarray(0, 1_200_000));
      send = () => response.end(padded.subarray(1_200_000));
    });
    const finding = find({ archive: { url, sha256: whole } });

    const isTold = () => said.find((line) => line.startsWith('Downloading')) ?? undefined;
    const told = await waitFor(isTold, { timeoutMs: 90_000 });
    send();
    await finding;

    expect(sha256).not.toBe(whole);
    expect(told).toBe(`Downloading the Temporal CLI ${temporalVersion}: 1.2 of 3.0 MB …`);
  });

  it('says what to do where there is neither a download nor Go', async () => {
    const url = await serve((_, response) => response.writeHead(503).end());

    const failure = find({ archive: { url, sha256: '' } });

    await expect(failure).rejects.toThrow(`${url} answered 503`);
    await expect(failure).rejects.toThrow('Go, which can build it, is not on the PATH');
    await expect(failure).rejects.toThrow(`fetch ${url} on a machine that can, and unpack it to ${cached()}`);
    await expect(failure).rejects.toThrow('set TEMPORAL_ADDRESS to a Temporal server that runs');
  });
});
