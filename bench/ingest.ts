import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { aPdf } from '../test/support/files/documents.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, shown, table } from './figures.js';
import { residentMiB } from './memory-use.js';

const pages = 500;
const linesOfPage = 20;
const memoryAim = 500;
const hugeMb = 200;
const sampleMs = 250;

/** Measures a large document from its upload to its passages, and how one that is too large is refused. */
export async function benchIngest(bench: BenchStack): Promise<void> {
  const { stack } = bench;
  const pids = (): Readonly<Record<string, number>> => bench.pids();
  const pdf = await aPdf(Array.from({ length: pages }, (_, page) => linesOf(page)));
  print(
    `\n## Ingestion: a PDF of ${pages} pages, ${shown(pdf.length / 1e6)} MB, embedded by perdure/use-lite\n`,
  );
  const folder = await made(`${stack.api}/v1/folders/`, { name: `bench ${Date.now()}` });
  const watch = watchMemory(pids);
  const startedAt = performance.now();
  const form = new FormData();
  form.set('file', new Blob([pdf]), 'handbook.pdf');
  const file = await asked(`${stack.api}/v1/folders/${folder.id}/upload`, { method: 'POST', body: form });
  const uploadedAt = performance.now();
  const seen = await follow(`${stack.api}/v1/folders/${folder.id}/files/${file.id}`, startedAt);
  const seconds = (performance.now() - startedAt) / 1_000;
  const peaks = watch.stop();
  print(table([['s', 'status', 'chunks', 'embedded'], ...thinned(seen)]));
  print(
    `\nUploaded in ${shown(uploadedAt - startedAt)} ms, ingested in ${shown(seconds)} s: ${shown(pages / seconds)} pages/s.`,
  );
  print('\nPeak memory, MB:\n');
  print(
    table([
      ['process', 'resident'],
      ...Object.entries(peaks).map(([name, mb]) => [name, judged(mb, memoryAim, 'lower')]),
    ]),
  );
  await refuse(`${stack.api}/v1/folders/${folder.id}/upload`, pids);
}

function linesOf(page: number): string[] {
  return Array.from({ length: linesOfPage }, (_, line) =>
    line === 0
      ? `Chapter ${page + 1}: what the handbook says of case ${page + 1}`
      : `In case ${page + 1}.${line} an employee of group ${(page * line) % 97} has ${line} days and asks office ${(page + line) % 13}.`,
  );
}

type Pids = () => Readonly<Record<string, number>>;

interface File {
  readonly id: string;
  readonly processing_status: string;
  readonly total_chunks: number | null;
  readonly chunks_embedded: number;
}

async function asked(url: string, init: RequestInit = {}): Promise<File> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as File;
}

function made(url: string, body: object): Promise<File> {
  return asked(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Polls a file until it is completed. Returns what a client saw of its progress. */
async function follow(url: string, startedAt: number): Promise<string[][]> {
  const seen: string[][] = [];
  for (;;) {
    const file = await asked(url);
    const { processing_status: status, total_chunks: chunks, chunks_embedded: embedded } = file;
    const seconds = (performance.now() - startedAt) / 1_000;
    seen.push([shown(seconds), status, String(chunks ?? '–'), String(embedded)]);
    if (status === 'error') throw new Error(JSON.stringify(file));
    if (status === 'completed') return seen;
    await new Promise((resolve) => setTimeout(resolve, sampleMs));
  }
}

/** The rows in which the status changes, and about ten of the others. */
function thinned(rows: readonly string[][]): string[][] {
  const step = Math.max(1, Math.floor(rows.length / 10));
  return rows.filter((row, index) => index % step === 0 || row[1] !== rows[index - 1]?.[1]);
}

/** Records the peak resident memory of server, worker, and the processes in which the worker reads documents. */
function watchMemory(pids: Pids): { stop(): Readonly<Record<string, number>> } {
  const peaks: Record<string, number> = {};
  const note = (name: string, pid: number): void => {
    peaks[name] = Math.max(peaks[name] ?? 0, residentMiB(pid) || 0);
  };
  const timer = setInterval(() => {
    const { server = 0, worker = 0 } = pids();
    note('server', server);
    note('worker', worker);
    for (const child of childrenOf(worker)) note('document reader', child);
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return parent === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Sends a file that is too large, without a content length: the server must notice while it reads. */
async function refuse(url: string, pids: Pids): Promise<void> {
  const watch = watchMemory(pids);
  const startedAt = performance.now();
  const answer = await sendHuge(url);
  const { server = 0 } = watch.stop();
  print(
    `\n${hugeMb} MB sent in chunks: ${answer} after ${shown(performance.now() - startedAt)} ms. The server used ${shown(server)} MB.`,
  );
}

function sendHuge(url: string): Promise<string> {
  const boundary = 'perdure-bench';
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body += text));
        response.on('end', () => {
          resolve(`${response.statusCode ?? 0} ${body}`);
        });
      },
    );
    sent.on('error', reject);
    void (async () => {
      sent.write(
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="huge.txt"\r\ncontent-type: text/plain\r\n\r\n`,
      );
      const megabyte = Buffer.alloc(1_048_576, 'x');
      for (let count = 0; count < hugeMb && !sent.destroyed; count += 1) {
        if (!sent.write(megabyte)) await new Promise((resume) => sent.once('drain', resume));
      }
      sent.end(`\r\n--${boundary}--\r\n`);
    })();
  });
}
