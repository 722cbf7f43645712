import { stop } from 'esbuild';
import { compiledModules } from '../adapters/settings/compiled-modules.js';
import { isClone, ownModule } from '../adapters/settings/own-modules.js';
import type { Settings } from '../adapters/settings/settings.js';

/** The main modules of what the stack runs. */
export interface Programs {
  readonly migrate: string;
  readonly worker: string;
  readonly server: string;
  readonly guard: string;
}

/** As they lie in the package. */
const modules = {
  migrate: ownModule('schema/db/migrate').file,
  worker: ownModule('worker/main').file,
  server: ownModule('server/main').file,
  guard: ownModule('stack/backend-guard').file,
} satisfies Programs;

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
  try {
    return await compiledModules(modules, programFolders);
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}
