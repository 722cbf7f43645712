import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../adapters/settings/full-disk.js';

/** What was made of another state of the sources is kept so long after its last start, in ms: a stack may yet run it. */
const keptMs = 30 * 24 * 3_600_000;

/** A program as it is compiled now. */
export interface CompiledProgram {
  readonly name: string;
  readonly code: string;
}

/**
 * The file in the directory that holds this code: the one of an earlier start where it is whole, or made anew. Programs
 * that were not started for a month are removed. Throws what the file system refuses.
 */
export async function keepProgram(directory: string, { name, code }: CompiledProgram): Promise<string> {
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 24);
  const path = join(directory, `${name}-${hash}.mjs`);
  if (await holds(path, code)) {
    // What was started last is told by this alone. A directory that can't be written to has its file all the same.
    await utimes(path, new Date(), new Date()).catch(() => undefined);
    return path;
  }
  await mkdir(directory, { recursive: true });
  await write(path, code);
  await removeOld(directory, name);
  return path;
}

/** Whether the file system refused a file: it may not be written to, or is full. */
export function isUnkept(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['EROFS', 'EACCES', 'EPERM'].includes(code) || isDiskFull(error);
}

async function holds(path: string, code: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')) === code;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

// Written beside and renamed: another stack that starts meanwhile must not read half a program. Flushed before: after a
// power cut the name must not be there without its contents.
async function write(path: string, code: string): Promise<void> {
  const beside = `${path}.${process.pid}`;
  try {
    const file = await open(beside, 'w');
    try {
      await file.writeFile(code);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Also what stacks that died while writing have left. */
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
