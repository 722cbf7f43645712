import { stop, version } from 'esbuild';
import { compileProgram } from '../adapters/settings/compile.js';
import { compiledPrograms } from '../adapters/settings/compiled-module.js';
import { isClone, ownModule } from '../adapters/settings/own-modules.js';
import type { Settings } from '../adapters/settings/settings.js';
import { isUnkept, keepProgram } from '../adapters/settings/program-cache.js';
import { hashOfSources } from '../adapters/settings/source-hash.js';
import { packageFile } from './processes.js';

/** The main modules of what the stack runs. */
export interface Programs {
  readonly migrate: string;
  readonly worker: string;
  readonly server: string;
  readonly guard: string;
}

/** As they lie in the package. */
const modules: Programs = {
  migrate: ownModule('schema/db/migrate').file,
  worker: ownModule('worker/main').file,
  server: ownModule('server/main').file,
  guard: ownModule('stack/backend-guard').file,
};

/** Where their sources are: all that may be imported by them. */
export const programFolders = [
  ...['core', 'schema', 'adapters', 'activities', 'workflows', 'client', 'worker', 'server', 'stack'],
];

/**
 * The programs as compiled files. A clone compiles them again when a source has changed. They run from their sources where
 * the clone is read-only or its disk full, and where they load users' modules, which may be TypeScript.
 */
export async function preparePrograms({ archivalStore }: Pick<Settings, 'archivalStore'>): Promise<Programs> {
  if (!isClone || archivalStore !== undefined) return modules;
  const root = packageFile('.');
  const hash = hashOfSources(root, programFolders, [root, version]);
  try {
    const [migrate, worker, server, guard] = await Promise.all([
      compiled('migrate', hash),
      compiled('worker', hash),
      compiled('server', hash),
      compiled('guard', hash),
    ]);
    return { migrate, worker, server, guard };
  } catch (error) {
    if (isUnkept(error)) return modules;
    throw error;
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}

function compiled(name: keyof Programs, hash: string): Promise<string> {
  return keepProgram(compiledPrograms, {
    name,
    hash,
    compile: () => compileProgram(modules[name], compiledPrograms),
  });
}
