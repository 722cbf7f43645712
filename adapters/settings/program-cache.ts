import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from './full-disk.js';

/** How long a compiled program is kept after its last start, in ms: a stack may still run it. */
const keptMs = 30 * 24 * 3_600_000;

/** A program that is to be compiled. */
export interface CompiledProgram {
  readonly name: string;
  /** Other sources or another compiler have another one. */
  readonly hash: string;
  readonly compile: () => Promise<string>;
}

/**
 * The file in the directory with the program of this hash: that of an earlier start, else a new one. Programs that were not
 * started for a month are removed. Throws the compiler's errors, and those of the file system.
 */
export async function keepProgram(
  directory: string,
  { name, hash, compile }: CompiledProgram,
): Promise<string> {
  const path = join(directory, `${name}-${hash}.mjs`);
  if (await isFile(path)) {
    // The file's time tells when it was started last. A read-only directory is fine: the file is there.
    await utimes(path, new Date(), new Date()).catch(() => undefined);
    return path;
  }
  await mkdir(directory, { recursive: true });
  await write(path, await compile());
  await removeOld(directory, name);
  return path;
}

/** Whether the file system is read-only or full. */
export function isUnkept(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['EROFS', 'EACCES', 'EPERM'].includes(code) || isDiskFull(error);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

// Written to another name and renamed, so that another starting stack never reads half a program. Flushed before that, so
// that after a power cut the name is never there without the content.
async function write(path: string, code: string): Promise<void> {
  const temporaryFile = `${path}.${process.pid}`;
  try {
    const file = await open(temporaryFile, 'w');
    try {
      await file.writeFile(code);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporaryFile, path);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}

/** Removes old programs, and unfinished files of stacks that died while writing. */
async function removeOld(directory: string, name: string): Promise<void> {
  const files = (await readdir(directory)).filter((file) => file.startsWith(`${name}-`));
  await Promise.all(
    files.map(async (file) => {
      const path = join(directory, file);
      // Another stack that starts may have removed it.
      const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs < Date.now() - keptMs) await rm(path, { force: true });
    }),
  );
}
