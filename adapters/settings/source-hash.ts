import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * A hash of these files and folders below a directory, which says whether something made of them is still up to date.
 * `others`: what else it depends on.
 */
export function hashOfSources(root: string, paths: readonly string[], others: readonly string[]): string {
  const hash = createHash('sha256');
  for (const other of others) hash.update(`${other}\0`);
  for (const file of paths.flatMap((path) => filesOf(root, path)))
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 24);
}

function filesOf(root: string, path: string): readonly string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
