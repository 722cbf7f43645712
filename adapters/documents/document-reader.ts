import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Chunk } from '../../core/files/chunking.js';
import type { Unreadable } from '../../core/files/files.js';
import { ownModule, packageDirectories } from '../settings/own-modules.js';
import { memoryOf } from '../sandbox/memory-of.js';
import type { Sandbox, StartedProgram } from '../sandbox/sandbox.js';

/** What reading a document tells: its text in parts, its chunks, and at last its size, or that it can't be read. */
export type ReadEvent =
  | { readonly kind: 'part'; readonly index: number; readonly firstLine: number; readonly text: string }
  | ({ readonly kind: 'chunk'; readonly index: number } & Chunk)
  | { readonly kind: 'end'; readonly chunks: number; readonly lines: number; readonly characters: number }
  | { readonly kind: 'unreadable'; readonly reason: Unreadable };

/** A document to be read. */
export interface DocumentInput {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
  /** Tokens of a chunk at most. */
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reads documents of users, each in a process of its own. */
export interface DocumentReader {
  /** The last event is `end` or `unreadable`. Throws where no process can be had, and when the signal says so. */
  read(input: DocumentInput): AsyncIterable<ReadEvent>;
}

/** What one document may take. */
export interface DocumentLimits {
  readonly timeoutMs: number;
  /** Of the process's resident memory, in MB. */
  readonly memoryMb: number;
}

const defaultLimits: DocumentLimits = { timeoutMs: 600_000, memoryMb: 450 };

const reader = ownModule('adapters/documents/reader-process');
/** What a reader runs. */
const readable = [
  ...['package.json', 'adapters', 'core'].map((path) =>
    fileURLToPath(new URL(`../../${path}`, import.meta.url)),
  ),
  ...packageDirectories(),
];
const watchMs = 100;
const megabyte = 1_048_576;

/** What a reader needs beside its document. */
interface ReaderOptions {
  readonly limits?: DocumentLimits | undefined;
  /** Where documents are read; absent or rejecting: in plain processes. */
  readonly sandbox?: (() => Promise<Sandbox>) | undefined;
}

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
  // Tools may be refused where there is no isolation; documents are read all the same.
  const sandbox = await open?.().catch(() => undefined);
  input.signal?.throwIfAborted();
  const started = startReader(input, { limits, sandbox });
  const { child } = started;
  const watch = watchOver(child, limits);
  const abort = (): void => {
    child.kill('SIGKILL');
  };
  input.signal?.addEventListener('abort', abort);
  try {
    // A reader that ends early, because it knows enough or was killed, closes its input: no failure of ours.
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

function startReader(
  input: DocumentInput,
  { limits, sandbox }: { readonly limits: DocumentLimits; readonly sandbox: Sandbox | undefined },
): StartedProgram {
  const heap = `--max-old-space-size=${Math.floor(limits.memoryMb * 0.8)}`;
  const args = [input.name, String(input.chunkSize), String(input.chunkOverlap)];
  const node = [process.execPath, heap, ...reader.flags, reader.file, ...args];
  // Should this process be killed, the kernel ends a reader that hangs: nobody else would.
  const limited = `ulimit -t ${Math.ceil(limits.timeoutMs / 1_000)}; exec "$@"`;
  const [command = '', ...rest] = process.platform === 'win32' ? node : ['sh', '-c', limited, 'sh', ...node];
  if (sandbox?.isolation === 'bubblewrap') {
    const started = sandbox.start({ command: [command, ...rest], readable: [process.execPath, ...readable] });
    started.child.stderr?.resume();
    return started;
  }
  const child = spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Documents are strangers: none of our keys is in reach of what reads them.
    env: { PATH: process.env['PATH'] },
  });
  return { child, wasExceeded: () => false, end: () => undefined };
}

/** What happened to the process: how it ended, and whether it was one of our limits. */
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
    // Buffers are outside of the heap that Node limits. Only Linux tells; elsewhere the heap's limit must do.
    if (memoryOf(child.pid) > memoryMb * megabyte) end('too_large');
  }, watchMs);
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 0);
    });
  });
  // Awaited only once its output has ended; a process that can't be started fails before.
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

/** A process that ended without a word: V8 aborts where the heap is full, the kernel ends what took all its time. */
function reasonOf(status: number | NodeJS.Signals): Unreadable {
  if (status === 'SIGXCPU' || status === byShell(24)) return 'too_slow';
  const full = ['SIGABRT', 'SIGTRAP', byShell(6), byShell(5)];
  return full.includes(status) ? 'too_large' : 'broken';
}

/** How shells and bubblewrap tell that a signal ended what they ran. */
function byShell(signal: number): number {
  return 128 + signal;
}

const closedPipe: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

function ignoreClosedPipe(error: unknown): void {
  // Not by class: an error of Node's own may come from another realm than ours.
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
