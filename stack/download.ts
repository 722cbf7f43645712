import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { showProgress, type OnProgress } from './progress.js';
import type { PinnedArchive } from './temporal-archives.js';

/** What to fetch, and where to put it. */
export interface Download extends PinnedArchive {
  /** For people: `Downloading the Temporal CLI 1.5.1`. */
  readonly what: string;
  readonly file: string;
  readonly onProgress: OnProgress;
  /** The download fails after this long without a byte. */
  readonly silenceMs?: number;
}

/**
 * Downloads a file and reports its size and progress. Throws where the server refuses or goes silent, and where the
 * SHA-256 is wrong; the file must then not be used.
 */
export async function download({
  url,
  sha256,
  what,
  file,
  onProgress,
  silenceMs = 30_000,
}: Download): Promise<void> {
  const aborting = new AbortController();
  const giveUp = (): void => {
    aborting.abort(new Error(`${url} sent nothing for ${silenceMs / 1_000} s`));
  };
  let timer = setTimeout(giveUp, silenceMs);
  const come = { bytes: 0, ofBytes: 0 };
  const hash = createHash('sha256');
  const fetching = async (): Promise<void> => {
    const response = await fetch(url, { signal: aborting.signal });
    if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
    come.ofBytes = Number(response.headers.get('content-length') ?? 0);
    const count = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, silenceMs);
        come.bytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(
      Readable.fromWeb(response.body as ReadableStream<Uint8Array>),
      count,
      createWriteStream(file),
    );
  };
  try {
    await showProgress(onProgress, () => `${what}${showSizes(come)}`, fetching());
  } finally {
    clearTimeout(timer);
  }
  const found = hash.digest('hex');
  if (found !== sha256)
    throw new Error(`${url} has the wrong checksum: its SHA-256 is ${found}, not ${sha256}`);
}

function showSizes({ bytes, ofBytes }: { bytes: number; ofBytes: number }): string {
  if (ofBytes === 0) return bytes === 0 ? '' : `: ${toMegabytes(bytes)} MB`;
  return `: ${toMegabytes(bytes)} of ${toMegabytes(ofBytes)} MB`;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0);
}
