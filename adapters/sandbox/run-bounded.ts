import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { signalGroup } from '../process-group.js';
import type { Limits } from './limits.js';
import { memoryOf } from './memory-of.js';
import { answerGuard } from './start-guard.js';
import { type Excess, type Launch, type ProgramEnd, type SandboxedProgram, SandboxError } from './sandbox.js';

const memoryCheckMs = 100;
/** What still holds a dead program's streams gets this long, in ms, before they are closed. */
const leftoverMs = 500;

/**
 * Runs a started program to its end, within its time and the limits. Promises:
 * 1. Whatever ends it, all processes of its group are killed before this returns.
 * 2. It keeps at most the limits' output in memory, however much is written.
 */
export async function runBounded(
  program: SandboxedProgram,
  launch: Launch,
  limits: Limits,
): Promise<ProgramEnd> {
  program.signal?.throwIfAborted();
  const child = start(program, launch);
  let excess: Excess | undefined;
  const stop = (why?: Excess): void => {
    excess ??= why;
    signalGroup(child, 'SIGKILL');
  };
  const onExcess = (): void => {
    stop('output');
  };
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
    collect(stream as Readable, { kept: limits.keptOutputBytes, most: limits.outputBytes, onExcess }),
  );
  const answer = collect(child.stdio[3] as Readable, {
    kept: limits.outputBytes,
    most: limits.outputBytes,
    onExcess,
  });
  const timer = setTimeout(stop, program.timeoutMs, 'time');
  const watch = setInterval(() => {
    if (memoryOf(child.pid) > limits.memoryBytes) stop('memory');
  }, memoryCheckMs);
  const onAbort = (): void => {
    stop();
  };
  program.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const { code, signal } = await ended(child);
    program.signal?.throwIfAborted();
    return {
      answer: answer.text(),
      stdout: stdout?.text() ?? '',
      stderr: stderr?.text() ?? '',
      exitCode: code,
      exitSignal: signal,
      excess,
    };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    program.signal?.removeEventListener('abort', onAbort);
  }
}

function start(program: SandboxedProgram, launch: Launch): ChildProcess {
  const [file, ...args] = launch.command;
  const child = spawn(file, args, {
    cwd: launch.directory,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: launch.directory === '/' ? '/tmp' : launch.directory,
      TMPDIR: launch.directory === '/' ? '/tmp' : launch.directory,
      LANG: 'C.UTF-8',
    },
    // A group of its own, which is killed as one.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  answerGuard(child);
  feed(child.stdin, program.input);
  feed(child.stdio[4] as Writable, launch.extraInput);
  return child;
}

function feed(stream: Writable, text: string): void {
  // A program that ends without reading closes its end.
  stream.on('error', () => undefined);
  stream.end(text);
}

interface Collected {
  text(): string;
}

/** Reads a stream to its end, keeps its beginning, and tells once when it is longer than the most. */
function collect(
  stream: Readable,
  { kept, most, onExcess }: { readonly kept: number; readonly most: number; readonly onExcess: () => void },
): Collected {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('error', () => undefined);
  stream.on('data', (piece: Buffer) => {
    if (size < kept) pieces.push(piece.subarray(0, kept - size));
    size += piece.length;
    if (size > most) onExcess();
  });
  return {
    text: () => {
      const text = Buffer.concat(pieces).toString('utf8');
      return size > kept ? `${text}\n… (${size - kept} more bytes)` : text;
    },
  };
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      reject(new SandboxError(`${child.spawnfile} can't be started: ${error.message}`));
    });
    child.on('exit', () => {
      signalGroup(child, 'SIGKILL');
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, leftoverMs).unref();
    });
    child.on('close', (code, signal) => {
      resolve({ code, signal });
    });
  });
}
