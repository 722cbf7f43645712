import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compileProgram } from '../../stack/compile.js';
import { packageFile } from '../../stack/processes.js';
import { readTestState } from './test-state.js';

/** A program of this package as a file that Node starts without tsx; it lies in the run's own directory. */
export async function compileForRun(entry: string): Promise<string> {
  const directory = dirname(readTestState().programs.worker);
  const file = join(directory, basename(entry).replace(/\.ts$/, '.mjs'));
  writeFileSync(file, await compileProgram(packageFile(entry), directory));
  return file;
}
