import { stop } from 'esbuild';
import { isClone, ownModule } from '../adapters/settings/own-modules.js';
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

/** As they lie in the package. */
const modules: Programs = {
  worker: ownModule('worker/main').file,
  server: ownModule('server/main').file,
  guard: ownModule('stack/backend-guard').file,
};

/**
 * Worker and server as compiled files. A clone compiles them again when a source has changed. They run from their sources
 * where the clone is read-only or its disk full, and where they load users' modules, which may be TypeScript.
 */
export async function preparePrograms({ archivalStore }: Pick<Settings, 'archivalStore'>): Promise<Programs> {
  if (!isClone || archivalStore !== undefined) return modules;
  try {
    const [worker, server, guard] = await Promise.all([
      compiled('worker'),
      compiled('server'),
      compiled('guard'),
    ]);
    return { worker, server, guard };
  } catch (error) {
    if (isUnkept(error)) return modules;
    throw error;
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}

async function compiled(name: keyof Programs): Promise<string> {
  return keepProgram(cache, { name, code: await compileProgram(modules[name], cache) });
}
