import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { signalGroup } from '../process-group.js';
import { countFiles } from './file-count.js';
import type { Limits } from './limits.js';
import { memoryOf } from './memory-of.js';
import { type Excess, type ProgramEnd, type SandboxedProgram, SandboxError } from './sandbox.js';
import { feed, type Starting, startProgram, streamAt } from './start-program.js';

const checkMs = 100;
/** How long other processes may hold a dead program's streams, in ms. */
const leftoverMs = 500;

/**
 * Runs a started program to its end, within its time and the limits. Promises:
 * 1. However it ends, all processes of its group are killed before this returns.
 * 2. Output beyond the limit is not kept in memory.
 */
export async function runBounded(
  program: SandboxedProgram,
  { launch, group }: Pick<Starting, 'launch' | 'group'>,
  limits: Limits,
): Promise<ProgramEnd> {
  program.signal?.throwIfAborted();
  let isStarted = false;
  const child = startProgram({
    ...{ launch, group },
    onStart: () => {
      isStarted = true;
    },
  });
  feed(child.stdin, program.input);
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
  const answer = collect(streamAt(child, 3), {
    kept: limits.outputBytes,
    most: limits.outputBytes,
    onExcess,
  });
  const timer = setTimeout(stop, program.timeoutMs, 'time');
  const usesTooMuch = () => group?.wasExceeded() ?? memoryOf(child.pid) > limits.memoryBytes;
  const watch = setInterval(() => {
    if (usesTooMuch()) stop('memory');
    // Before it has started, its files are the machine's.
    if (isStarted && launch.hasOwnFiles && countFiles(child.pid) > limits.files) stop('files');
  }, checkMs);
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
      // The kernel may have killed it since the last check.
      excess: excess ?? (group?.wasExceeded() === true ? 'memory' : undefined),
    };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    program.signal?.removeEventListener('abort', onAbort);
  }
}

interface Collected {
  text(): string;
}

/** Reads a stream to its end, keeps its beginning, and reports once when it is too long. */
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
