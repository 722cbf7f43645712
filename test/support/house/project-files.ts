import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the project. */
export const projectRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** The text of a file of the project; `path` is relative to its root. */
export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** The scripts of package.json by name. */
export function packageScripts(): Readonly<Record<string, string>> {
  return (JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> }).scripts;
}
