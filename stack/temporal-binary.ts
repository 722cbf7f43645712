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
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ownCache } from '../adapters/settings/cache.js';
import { showProgress, type OnProgress } from './progress.js';

const execute = promisify(execFile);

/** The release of the Temporal CLI that is fetched or built where none is installed. It brings server 1.29.1. */
export const temporalVersion = '1.5.1';

const executable = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
const downloadTimeoutMs = 5 * 60_000;
const buildTimeoutMs = 20 * 60_000;

/** Where to look; for tests and for settings. */
export interface TemporalBinaryOptions {
  /** The setting TEMPORAL_CLI: a path that must be usable. */
  readonly cli?: string | undefined;
  readonly searchPath?: string | undefined;
  readonly cacheDir?: string;
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
      `TEMPORAL_CLI names ${options.cli}, which is no executable file. Correct it or unset it.`,
    );
  }
  const directory = join(options.cacheDir ?? join(ownCache(), 'temporal'), temporalVersion);
  const cached = join(directory, executable);
  const found = [...onPath(options.searchPath ?? process.env['PATH'] ?? ''), cached, ...fromSdk()].find(
    isExecutable,
  );
  if (found !== undefined) return found;
  mkdirSync(directory, { recursive: true });
  const tried: string[] = [];
  for (const [what, make] of [
    [`Downloading the Temporal CLI ${temporalVersion}`, download],
    [`Building the Temporal CLI ${temporalVersion} with Go (once, some minutes)`, build],
  ] as const) {
    try {
      await showProgress(options.onProgress, what, make(directory));
      return cached;
    } catch (error) {
      tried.push(`  ${what}: ${reasonOf(error)}`);
    }
  }
  const remedy =
    'Install it (https://docs.temporal.io/cli), or name it in TEMPORAL_CLI, or set TEMPORAL_ADDRESS to a Temporal server that runs.';
  throw new Error(
    `There is no Temporal CLI on the PATH and none could be made:\n${tried.join('\n')}\n${remedy}`,
  );
}

function onPath(path: string): string[] {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, executable));
}

/** The SDK keeps its download in the directory for temporary files, where others may have put something else. */
function fromSdk(): string[] {
  const manifest = createRequire(import.meta.url)('@temporalio/client/package.json') as { version: string };
  return ['temporal-sdk-typescript', 'temporal-cli-sdk-typescript']
    .map((name) => join(tmpdir(), `${name}-${manifest.version}${executable.slice('temporal'.length)}`))
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

async function download(directory: string): Promise<void> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `https://temporal.download/cli/archive/v${temporalVersion}?platform=${platform}&arch=${arch}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(downloadTimeoutMs) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await inWorkDirectory(directory, async (work) => {
    const archive = join(work, 'archive');
    writeFileSync(archive, Buffer.from(await response.arrayBuffer()));
    await execute('tar', ['-xf', archive, '-C', work]);
  });
}

async function build(directory: string): Promise<void> {
  await inWorkDirectory(directory, async (work) => {
    const env = { ...process.env, GOBIN: work };
    const source = `github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`;
    await execute('go', ['install', source], { env, timeout: buildTimeoutMs, maxBuffer: 64 * 1_048_576 });
  });
}

/** What is half made, or made by two starts at once, never lies where a start would take it for finished. */
async function inWorkDirectory(directory: string, make: (work: string) => Promise<void>): Promise<void> {
  const work = join(directory, `work-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    await make(work);
    const made = join(work, executable);
    if (!existsSync(made)) throw new Error(`no ${executable} came out of it`);
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
