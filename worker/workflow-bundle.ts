import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 'perdure');

/**
 * The workflows as one script. Bundling takes a second, and a worker that comes back after a crash should not: the
 * script is kept, named by a hash of all it is made from.
 */
export async function workflowBundle(): Promise<{ code: string }> {
  const path = join(cache, `workflows-${await sourceHash()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    // What went well is no news: it would be the first thing that a new worker says.
    logger: new DefaultLogger('WARN'),
  });
  await keep(path, code);
  return { code };
}

async function sourceHash(): Promise<string> {
  const hash = createHash('sha256');
  hash.update(await readFile(join(root, 'node_modules', '@temporalio', 'worker', 'package.json')));
  for (const folder of ['core', 'workflows']) {
    const names = (await readdir(join(root, folder), { recursive: true })).filter((name) =>
      name.endsWith('.ts'),
    );
    for (const name of names.sort()) hash.update(name).update(await readFile(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 24);
}

// Written beside and renamed: a worker that is killed here must not leave half a script.
async function keep(path: string, code: string): Promise<void> {
  try {
    await mkdir(cache, { recursive: true });
    await writeFile(`${path}.${process.pid}`, code);
    await rename(`${path}.${process.pid}`, path);
  } catch {
    // A read-only installation bundles at every start.
  }
}
