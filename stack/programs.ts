import { stop } from 'esbuild';
import type { Settings } from '../adapters/settings/settings.js';
import { compileProgram } from './compile.js';
import { packageFile } from './processes.js';
import { isUnkept, keepProgram } from './program-cache.js';

/** The main modules of what the stack runs. */
export interface Programs {
  readonly worker: string;
  readonly server: string;
  readonly guard: string;
}

const cache = packageFile('node_modules/.cache/perdure');

/** The sources, run by tsx. */
const sources: Programs = {
  worker: packageFile('worker/main.ts'),
  server: packageFile('server/main.ts'),
  guard: packageFile('stack/backend-guard.ts'),
};

/**
 * Worker and server as compiled files, compiled again when a source has changed. They run from their sources where the
 * installation is read-only or its disk full, and where they load users' modules, which may be TypeScript.
 */
export async function preparePrograms({ archivalStore }: Pick<Settings, 'archivalStore'>): Promise<Programs> {
  if (archivalStore !== undefined) return sources;
  try {
    const [worker, server, guard] = await Promise.all([
      compiled('worker'),
      compiled('server'),
      compiled('guard'),
    ]);
    return { worker, server, guard };
  } catch (error) {
    if (isUnkept(error)) return sources;
    throw error;
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}

async function compiled(name: keyof Programs): Promise<string> {
  return keepProgram(cache, { name, code: await compileProgram(sources[name], cache) });
}
