import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Python } from './interpreter.js';

/** A directory with an interpreter and a set of packages. */
export interface PythonEnvironment {
  readonly directory: string;
  readonly executable: string;
}

/** The packages can't be installed. The message has pip's reason. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Python environments, one per set of packages, created when first needed. */
export interface PythonEnvironments {
  /** The environment with these packages, such as `requests==2.32.3`. Throws EnvironmentError. */
  prepare(packages: readonly string[]): Promise<PythonEnvironment>;
}

const installTimeoutMs = 300_000;

/**
 * Environments in a directory that outlives this process. Promises:
 * 1. Packages are installed from wheels only, so none of their code runs meanwhile.
 * 2. An environment is created elsewhere and moved to its place as a whole, so no process sees half of one.
 * 3. A process creates each one once. After a failure, the next call tries again.
 */
export function createPythonEnvironments(options: {
  readonly directory: string;
  readonly python: Python;
  readonly onProgress: (message: string) => void;
}): PythonEnvironments {
  const { directory, python, onProgress } = options;
  const preparing = new Map<string, Promise<PythonEnvironment>>();

  const prepare = async (packages: readonly string[], place: string): Promise<PythonEnvironment> => {
    const environment = { directory: place, executable: join(place, 'bin/python') };
    if (existsSync(environment.executable)) return environment;
    onProgress(`Creating a tool's Python environment: ${packages.join(', ')} …`);
    const started = Date.now();
    await make(python, packages, place);
    onProgress(`The environment is ready after ${Math.round((Date.now() - started) / 1000)} s.`);
    return environment;
  };

  return {
    prepare(packages) {
      const place = join(directory, keyOf(python, packages));
      const running = preparing.get(place) ?? prepare([...packages].sort(), place);
      preparing.set(place, running);
      void running.catch(() => undefined).finally(() => preparing.delete(place));
      return running;
    },
  };
}

function keyOf(python: Python, packages: readonly string[]): string {
  const content = [python.executable, python.version, ...[...packages].sort()].join('\n');
  return createHash('sha256').update(content).digest('hex').slice(0, 24);
}

async function make(python: Python, packages: readonly string[], place: string): Promise<void> {
  mkdirSync(join(place, '..'), { recursive: true, mode: 0o755 });
  const half = mkdtempSync(`${place}-`);
  // Tools run as other users, who must be able to read it.
  chmodSync(half, 0o755);
  try {
    await run(python.executable, ['-I', '-m', 'venv', half]);
    const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
    await run(join(half, 'bin/python'), [...pip, '--only-binary', ':all:', '--', ...packages]);
    if (!existsSync(place)) renameSync(half, place);
  } catch (error) {
    // Another process put its own there between check and move, which is just as good.
    if (!existsSync(join(place, 'bin/python'))) throw error;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

async function run(program: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(program, [...args], { timeout: installTimeoutMs, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const output = (error as { stderr?: string; stdout?: string }).stderr?.trim() ?? '';
    const said = output
      .split('\n')
      .filter((line) => line.startsWith('ERROR'))
      .join(' ');
    throw new EnvironmentError(said === '' ? output.slice(-500) || 'pip failed without a message' : said);
  }
}
