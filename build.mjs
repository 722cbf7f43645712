// Makes `dist/`, which is what npm packs: the programs and the library as JavaScript with types and source maps, what lies
// beside them as it is, and the workflows as the one script that Temporal runs. Nothing is done where `dist/` was made of the
// same sources.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tsImport } from 'tsx/esm/api';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
const folders = include.map((pattern) => pattern.split('/')[0]);

const { hashOfSources } = await tsImport('./adapters/settings/source-hash.ts', import.meta.url);
const settings = ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const hash = hashOfSources(root, [...folders, 'studio', ...settings], [process.version]);
const mark = join(dist, '.sources');
if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) process.exit();

// The studio stays until it is built anew: a running server of this clone may be reading it.
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) {
  if (name !== 'studio') rmSync(join(dist, name), { recursive: true, force: true });
}
run(createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'));
for (const folder of folders) copyBeside(folder);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
writeFileSync(
  join(dist, 'workflows', 'bundle.js'),
  run(join(dist, 'worker', 'bundle-process.js'), join(dist, 'workflows', 'index.js')),
);
run(join(root, 'studio', 'build.mjs'));
chmodSync(join(dist, 'cli', 'main.js'), 0o755);
writeFileSync(mark, hash);

/** What is no TypeScript is read as it is: threads' programs, and Python. */
function copyBeside(folder) {
  for (const name of readdirSync(join(root, folder), { recursive: true })) {
    if (!/\.(mjs|py)$/.test(name)) continue;
    mkdirSync(dirname(join(dist, folder, name)), { recursive: true });
    cpSync(join(root, folder, name), join(dist, folder, name));
  }
}

/** What the program writes. */
function run(...args) {
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (status === 0) return stdout;
  process.stderr.write(stdout);
  process.exit(1);
}
