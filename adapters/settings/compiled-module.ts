import { fileURLToPath } from 'node:url';
import { version } from 'esbuild';
import { compileProgram } from './compile.js';
import { flagsFor, isClone, ownModule, type OwnModule } from './own-modules.js';
import { isUnkept, keepProgram } from './program-cache.js';
import { hashOfSources } from './source-hash.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where a clone keeps the programs that it has compiled. */
export const compiledPrograms = fileURLToPath(new URL('../../node_modules/.cache/perdure', import.meta.url));

/**
 * A module that starts often, in a process of its own: compiled, also in a clone, because each start through tsx takes
 * twice the computing. `folders`: where it and what it imports are. From its source where the clone is read-only or its
 * disk full. Throws the compiler's errors.
 */
export async function compiledModule(
  path: string,
  { name, folders }: { readonly name: string; readonly folders: readonly string[] },
): Promise<OwnModule> {
  const source = ownModule(path);
  if (!isClone) return source;
  const hash = hashOfSources(root, folders, [root, version]);
  const compile = (): Promise<string> => compileProgram(source.file, compiledPrograms);
  try {
    const file = await keepProgram(compiledPrograms, { name, hash, compile });
    return { file, flags: flagsFor(file) };
  } catch (error) {
    if (isUnkept(error)) return source;
    throw error;
  }
}
