// `npm ci` builds the studio. An install without development dependencies can't: it comes with a built one, or has none.
import { readdirSync, readFileSync, rmSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const built = join(import.meta.dirname, '..', 'dist', 'studio');
const isMissing = (error) => error.code === 'ERR_MODULE_NOT_FOUND';
// Whatever the caller's is, as `test` of a test run: in any other than this React comes with all that looks for mistakes.
process.env.NODE_ENV = 'production';
const vite = await import('vite').catch((error) => {
  if (!isMissing(error)) throw error;
});
if (vite === undefined) console.log('The studio is not built: vite is a development dependency.');
else {
  // Beside it and then put in its place: a running server may be reading the former one.
  const outDir = `${built}.${process.pid}`;
  const configFile = join(import.meta.dirname, 'vite.config.ts');
  await vite.build({ configFile, logLevel: 'warn', build: { outDir } });
  // The server sends these to browsers: compressed once, not for each of them.
  const assets = join(outDir, 'assets');
  for (const file of readdirSync(assets)) {
    const path = join(assets, file);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
  rmSync(built, { recursive: true, force: true });
  renameSync(outDir, built);
}
