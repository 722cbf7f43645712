import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Chunk } from '../../core/files/chunking.js';
import type { Unreadable } from '../../core/files/files.js';
import { memoryOf } from '../sandbox/memory-of.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { type DocumentLimits, readerProgram, startReader } from './start-reader.js';

/** Events while reading a document: parts of its text, chunks, and at last its size or why it can't be read. */
export type ReadEvent =
  | { readonly kind: 'part'; readonly index: number; readonly firstLine: number; readonly text: string }
  | ({ readonly kind: 'chunk'; readonly index: number } & Chunk)
  | { readonly kind: 'end'; readonly chunks: number; readonly lines: number; readonly characters: number }
  | { readonly kind: 'unreadable'; readonly reason: Unreadable };

/** A document to read. */
export interface DocumentInput {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
  /** The most tokens of a chunk. */
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads users' documents, each in a process of its own. */
export interface DocumentReader {
  /** The last event is `end` or `unreadable`. Throws where no process can be started, and on the signal. */
  read(input: DocumentInput): AsyncIterable<ReadEvent>;
}

const defaultLimits: DocumentLimits = { timeoutMs: 600_000, memoryMb: 450 };

const watchMs = 100;
const megabyte = 1_048_576;

/** What a reader needs besides its document. */
interface ReaderOptions {
  readonly limits?: DocumentLimits | undefined;
  /** The sandbox for documents. Absent or rejecting: plain processes. */
  readonly sandbox?: (() => Promise<Sandbox>) | undefined;
}

/** Creates a reader of documents. */
export function createDocumentReader({
  limits = defaultLimits,
  sandbox,
}: ReaderOptions = {}): DocumentReader {
  return { read: (input) => readDocument(input, limits, sandbox) };
}

async function* readDocument(
  input: DocumentInput,
  limits: DocumentLimits,
  open: ReaderOptions['sandbox'],
): AsyncGenerator<ReadEvent> {
  // Tools may be refused without isolation; documents are still read.
  const [sandbox, program] = await Promise.all([open?.().catch(() => undefined), readerProgram()]);
  input.signal?.throwIfAborted();
  const args = [input.name, String(input.chunkSize), String(input.chunkOverlap)];
  const started = startReader(program, { args, limits, sandbox });
  const { child } = started;
  const watch = watchOver(child, limits);
  const abort = (): void => {
    child.kill('SIGKILL');
  };
  input.signal?.addEventListener('abort', abort);
  try {
    // A reader may close its input early, because it knows enough or was killed. That is no failure.
    const fed = pipeline(Readable.from(input.pieces), stdinOf(child)).catch(ignoreClosedPipe);
    let last: ReadEvent | undefined;
    for await (const line of createInterface({ input: stdoutOf(child) })) {
      last = JSON.parse(line) as ReadEvent;
      yield last;
    }
    await fed;
    const status = await watch.ended;
    input.signal?.throwIfAborted();
    if (last?.kind === 'end' || last?.kind === 'unreadable') return;
    yield {
      kind: 'unreadable',
      reason: watch.reason() ?? (started.wasExceeded() ? 'too_large' : reasonOf(status)),
    };
  } finally {
    input.signal?.removeEventListener('abort', abort);
    watch.stop();
    child.kill('SIGKILL');
    started.end();
  }
}

/** How the process ended, and whether one of our limits ended it. */
interface Watch {
  readonly ended: Promise<number | NodeJS.Signals>;
  reason(): Unreadable | undefined;
  stop(): void;
}

function watchOver(child: ChildProcess, { timeoutMs, memoryMb }: DocumentLimits): Watch {
  let reason: Unreadable | undefined;
  const end = (why: Unreadable): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const deadline = setTimeout(() => {
    end('too_slow');
  }, timeoutMs);
  const memory = setInterval(() => {
    // Buffers lie outside the heap that Node limits. Only Linux reports them; elsewhere the heap's limit must do.
    if (memoryOf(child.pid) > memoryMb * megabyte) end('too_large');
  }, watchMs);
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 0);
    });
  });
  // Awaited after the output has ended, but a process that can't be started fails earlier.
  ended.catch(() => undefined);
  return {
    ended,
    reason: () => reason,
    stop() {
      clearTimeout(deadline);
      clearInterval(memory);
    },
  };
}

/** For a process that ended silently: V8 aborts when the heap is full, the kernel kills at the CPU limit. */
function reasonOf(status: number | NodeJS.Signals): Unreadable {
  if (status === 'SIGXCPU' || status === byShell(24)) return 'too_slow';
  const full = ['SIGABRT', 'SIGTRAP', byShell(6), byShell(5)];
  return full.includes(status) ? 'too_large' : 'broken';
}

/** The exit code by which shells and bubblewrap report a signal. */
function byShell(signal: number): number {
  return 128 + signal;
}

const closedPipe: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

function ignoreClosedPipe(error: unknown): void {
  // Not `instanceof`: Node's errors may come from another realm.
  if (!closedPipe.has((error as NodeJS.ErrnoException | undefined)?.code)) throw error;
}

function stdinOf({ stdin }: ChildProcess): NonNullable<ChildProcess['stdin']> {
  if (stdin === null) throw new Error('The reader was started without an input.');
  return stdin;
}

function stdoutOf({ stdout }: ChildProcess): NonNullable<ChildProcess['stdout']> {
  if (stdout === null) throw new Error('The reader was started without an output.');
  return stdout;
}
