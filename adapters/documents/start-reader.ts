import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Sandbox, StartedProgram } from '../sandbox/sandbox.js';
import { compiledModules } from '../settings/compiled-modules.js';
import { flagsFor, ownModule, packageDirectories } from '../settings/own-modules.js';

/** The limits of one document. */
export interface DocumentLimits {
  readonly timeoutMs: number;
  /** Resident memory of the process, in MB. */
  readonly memoryMb: number;
}

/** Where the reader's own modules are. */
const folders = ['adapters', 'core'];
/** What a reader runs. */
const readable = [
  ...['package.json', ...folders].map((path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))),
  ...packageDirectories(),
];

let program: Promise<string> | undefined;

/** The file of the program that reads one document: `reader-process`. */
export function readerProgram(): Promise<string> {
  const reader = ownModule('adapters/documents/reader-process').file;
  program ??= compiledModules({ reader }, folders).then((files) => files.reader);
  return program;
}

/** Starts a reader in the sandbox, if there is one, with the arguments that `reader-process` takes. */
export function startReader(
  reader: string,
  {
    args,
    limits,
    sandbox,
  }: {
    readonly args: readonly string[];
    readonly limits: DocumentLimits;
    readonly sandbox: Sandbox | undefined;
  },
): StartedProgram {
  const heap = `--max-old-space-size=${Math.floor(limits.memoryMb * 0.8)}`;
  const node = [process.execPath, heap, ...flagsFor(reader), reader, ...args];
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
    // Documents come from strangers, so their reader gets none of our keys.
    env: { PATH: process.env['PATH'] },
  });
  return { child, wasExceeded: () => false, end: () => undefined };
}
