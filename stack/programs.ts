import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stop } from 'esbuild';
import type { Settings } from '../adapters/settings/settings.js';
import { compileProgram } from './compile.js';
import { packageFile } from './processes.js';

/** The main modules of what the stack keeps running. */
export interface Programs {
  readonly worker: string;
  readonly server: string;
}

const cache = packageFile('node_modules/.cache/perdure');

/** As they are written: tsx reads them. */
const sources: Programs = { worker: packageFile('worker/main.ts'), server: packageFile('server/main.ts') };

/**
 * Worker and server as compiled files, made anew where something of them has changed. They run from their sources where
 * the installation can't be written to, and where a module of the user's own is loaded into them, which may be
 * TypeScript.
 */
export async function preparePrograms({ archivalStore }: Pick<Settings, 'archivalStore'>): Promise<Programs> {
  if (archivalStore !== undefined) return sources;
  try {
    const [worker, server] = await Promise.all([compiled('worker'), compiled('server')]);
    return { worker, server };
  } catch (error) {
    if (isRefused(error)) return sources;
    throw error;
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}

async function compiled(name: keyof Programs): Promise<string> {
  const code = await compileProgram(sources[name], cache);
  const path = join(cache, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 24)}.mjs`);
  if (!existsSync(path)) await keep(path, code);
  return path;
}

// Written beside and renamed: another stack that starts meanwhile must not read half a program.
async function keep(path: string, code: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  await writeFile(`${path}.${process.pid}`, code);
  await rename(`${path}.${process.pid}`, path);
}

function isRefused(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
