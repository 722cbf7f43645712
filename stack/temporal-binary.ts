import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ownCache } from '../adapters/settings/cache.js';
import { download } from './download.js';
import { removeLeftovers } from './leftovers.js';
import { showProgress, type OnProgress } from './progress.js';
import { temporalArchive, temporalVersion, type PinnedArchive } from './temporal-archives.js';

const execute = promisify(execFile);

const executable = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
const buildTimeoutMs = 20 * 60_000;
const workPrefix = 'work-';

/** Where to look; for tests and for settings. */
export interface TemporalBinaryOptions {
  /** The setting TEMPORAL_CLI: a path that must be usable. */
  readonly cli?: string | undefined;
  readonly searchPath?: string | undefined;
  readonly cacheDir?: string;
  /** Where the Temporal SDK keeps its downloads. */
  readonly sdkDir?: string;
  /** What to download; default: the release's archive for this machine. */
  readonly archive?: PinnedArchive;
  readonly onProgress: OnProgress;
}

/**
 * The path of a Temporal CLI, in this order: TEMPORAL_CLI, `temporal` on the PATH, our cache, the one that the
 * Temporal SDK downloaded before, a download, a build with Go. Throws with what was tried and what to do.
 */
export async function findTemporalBinary(options: TemporalBinaryOptions): Promise<string> {
  if (options.cli !== undefined) {
    if (isExecutable(options.cli)) return options.cli;
    throw new Error(
      `TEMPORAL_CLI is ${options.cli}, which is not an executable file. Correct it or unset it.`,
    );
  }
  const directory = join(options.cacheDir ?? join(ownCache(), 'temporal'), temporalVersion);
  const cached = join(directory, executable);
  const searchPath = options.searchPath ?? process.env['PATH'] ?? '';
  const found = [...onPath(searchPath), cached, ...fromSdk(options.sdkDir ?? tmpdir())].find(isExecutable);
  if (found !== undefined) return found;
  mkdirSync(directory, { recursive: true });
  removeLeftovers(directory, workPrefix);
  const archive = options.archive ?? temporalArchive();
  const failures: string[] = [];
  for (const make of [
    () => fetchArchive(archive, directory, options.onProgress),
    () => build(directory, searchPath, options.onProgress),
  ]) {
    try {
      await make();
      return cached;
    } catch (error) {
      failures.push(`  ${reasonOf(error)}`);
    }
  }
  throw new Error(whatToDo(failures, cached, archive));
}

function whatToDo(failures: readonly string[], cached: string, archive: PinnedArchive | undefined): string {
  const byHand =
    archive === undefined
      ? ''
      : `\n  - fetch ${archive.url} on a machine that can, and unpack it to ${cached};`;
  return `The embedded stack needs the Temporal CLI, and it could not be had:
${failures.join('\n')}
Do one of these, and start again:
  - install it (https://docs.temporal.io/cli), or name one that is installed in TEMPORAL_CLI;${byHand}
  - install Go (https://go.dev/dl): it is then built once, in some minutes;
  - set TEMPORAL_ADDRESS to a Temporal server that runs.`;
}

function onPath(path: string, program = executable): string[] {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, program));
}

/** The SDK's download in the temporary directory, if it is ours: others could have put another file there. */
function fromSdk(directory: string): string[] {
  const manifest = createRequire(import.meta.url)('@temporalio/client/package.json') as { version: string };
  return ['temporal-sdk-typescript', 'temporal-cli-sdk-typescript']
    .map((name) => join(directory, `${name}-${manifest.version}${executable.slice('temporal'.length)}`))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.());
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function fetchArchive(
  archive: PinnedArchive | undefined,
  directory: string,
  onProgress: OnProgress,
): Promise<void> {
  if (archive === undefined)
    throw new Error(`There is no download with a known checksum for ${process.platform}-${process.arch}.`);
  await inWorkDirectory(directory, async (work) => {
    const file = join(work, 'archive');
    const what = `Downloading the Temporal CLI ${temporalVersion}`;
    await download({ ...archive, what, file, onProgress });
    await execute('tar', ['-xf', file, '-C', work]);
  });
}

async function build(directory: string, searchPath: string, onProgress: OnProgress): Promise<void> {
  const go = onPath(searchPath, process.platform === 'win32' ? 'go.exe' : 'go').find(isExecutable);
  if (go === undefined) throw new Error('Go, which can build it, is not on the PATH.');
  const building = inWorkDirectory(directory, async (work) => {
    const env = { ...process.env, GOBIN: work };
    const source = `github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`;
    await execute(go, ['install', source], { env, timeout: buildTimeoutMs, maxBuffer: 64 * 1_048_576 });
  });
  const what = `Building the Temporal CLI ${temporalVersion} with Go (once, some minutes)`;
  await showProgress(onProgress, what, building);
}

/** Works in a directory of its own, so that an unfinished file never lies where a start looks for a finished one. */
async function inWorkDirectory(directory: string, make: (work: string) => Promise<void>): Promise<void> {
  const work = join(directory, `${workPrefix}${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    await make(work);
    const made = join(work, executable);
    if (!existsSync(made)) throw new Error(`it produced no ${executable}`);
    chmodSync(made, 0o755);
    renameSync(made, join(directory, executable));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message.trim();
}
