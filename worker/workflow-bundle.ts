import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isClone, ownModule } from '../adapters/settings/own-modules.js';
import { hashOfSources } from '../adapters/settings/source-hash.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);
/** The script has about 3 MB. */
const mostBytes = 100_000_000;
const cache = join(root, 'node_modules', '.cache', 'perdure');
/** Where the package that npm installs has it, made when that was built. */
const builtFile = join(root, 'workflows', 'bundle.js');

/**
 * The workflows as one script. Bundling takes a second, and a worker that returns after a crash should not wait for
 * that. So the script is cached under a hash of all its sources.
 */
export async function workflowBundle(): Promise<{ code: string }> {
  if (!isClone) return { code: await readFile(builtFile, 'utf8') };
  const path = join(cache, `workflows-${sourceHash()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const code = await bundle(ownModule('workflows/index').file);
  await keep(path, code);
  return { code };
}

// In a process of its own, because the bundler takes 100 MB that this process would never give back.
async function bundle(workflowsPath: string): Promise<string> {
  const { file, flags } = ownModule('worker/bundle-process');
  const { stdout, stderr } = await run(process.execPath, [...flags, file, workflowsPath], {
    maxBuffer: mostBytes,
  });
  process.stderr.write(stderr);
  return stdout;
}

function sourceHash(): string {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as {
    version: string;
  };
  return hashOfSources(root, ['core', 'workflows'], [version]);
}

// Written to a temporary file and renamed, so that a killed worker leaves no half script.
async function keep(path: string, code: string): Promise<void> {
  try {
    await mkdir(cache, { recursive: true });
    await writeFile(`${path}.${process.pid}`, code);
    await rename(`${path}.${process.pid}`, path);
  } catch {
    // A read-only installation bundles at every start.
  }
}
