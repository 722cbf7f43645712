import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

/**
 * A program, and all of ours that it imports, as the text of one JavaScript file: Node starts it with a second and a half
 * of computing less than through tsx. It is made for a file in the directory, from which its packages must be found. What
 * the sources find beside themselves is still found there. `others`: settings of the compiler that replace these. Throws
 * what the compiler refuses.
 */
export async function compileProgram(
  entry: string,
  directory: string,
  others: esbuild.BuildOptions = {},
): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Errors are told by the names of their classes, of which one file may hold two.
    keepNames: true,
    sourcemap: 'inline',
    sourcesContent: false,
    outdir: directory,
    logLevel: 'silent',
    plugins: [{ name: 'places', setup: keepPlaces }],
    ...others,
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Every module of the one file would take that file's place for its own. */
function keepPlaces(build: esbuild.PluginBuild): void {
  build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const source = await readFile(path, 'utf8');
    const place = JSON.stringify(pathToFileURL(path).href);
    return { contents: source.replaceAll('import.meta.url', place), loader: 'ts' };
  });
}
