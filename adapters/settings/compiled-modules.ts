import { fileURLToPath } from 'node:url';
import { version } from 'esbuild';
import { compileProgram } from './compile.js';
import { isClone } from './own-modules.js';
import { isUnkept, keepProgram } from './program-cache.js';
import { hashOfSources } from './source-hash.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/perdure', import.meta.url));

/**
 * The files to start modules from, each in a process of its own, by the names of the programs. In a clone they are compiled,
 * once for their sources, because a start through tsx takes twice the computing. `folders`: where they and what they import
 * are. All start from their sources where the clone is read-only or its disk full. Throws the compiler's errors.
 */
export async function compiledModules<Name extends string>(
  modules: Readonly<Record<Name, string>>,
  folders: readonly string[],
): Promise<Readonly<Record<Name, string>>> {
  if (!isClone) return modules;
  const hash = hashOfSources(root, folders, [root, version]);
  const keep = async ([name, file]: [string, string]): Promise<[string, string]> => {
    const compile = (): Promise<string> => compileProgram(file, cache);
    return [name, await keepProgram(cache, { name, hash, compile })];
  };
  try {
    const kept = await Promise.all(Object.entries<string>(modules).map(keep));
    // The same names, which the type of `fromEntries` forgets.
    return Object.fromEntries(kept) as Record<Name, string>;
  } catch (error) {
    if (isUnkept(error)) return modules;
    throw error;
  }
}
