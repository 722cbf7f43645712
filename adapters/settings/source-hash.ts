import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the sources in these folders of a clone are compiled to changes only with this hash. `others`: what else it depends on. */
export function hashOfSources(root: string, folders: readonly string[], others: readonly string[]): string {
  const hash = createHash('sha256');
  for (const other of others) hash.update(other).update('\0');
  for (const folder of folders) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => /\.\w+$/.test(one)).sort())
      hash.update(`${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 24);
}
