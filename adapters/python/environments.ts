import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Python } from './interpreter.js';

/** A directory with an interpreter that has a set of packages. */
export interface PythonEnvironment {
  readonly directory: string;
  readonly executable: string;
}

/** A set of packages that can't be installed. The message says why, as pip does. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Python environments, one for each set of packages, made when they are first asked for. */
export interface PythonEnvironments {
  /** The environment with these packages, such as `requests==2.32.3`. Throws EnvironmentError. */
  prepare(packages: readonly string[]): Promise<PythonEnvironment>;
}

const installTimeoutMs = 300_000;

/**
 * Environments in a directory that outlives this process. Promises:
 * 1. Packages are installed from wheels only: no code of theirs runs while they are.
 * 2. An environment is made beside its place and put there whole: no other process sees half of one.
 * 3. In one process each is made once, however many ask; one that failed is tried again by who asks next.
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
    onProgress(`Making the Python environment of a tool: ${packages.join(', ')} …`);
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
  // It is read by the users that tools run as.
  chmodSync(half, 0o755);
  try {
    await run(python.executable, ['-I', '-m', 'venv', half]);
    const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
    await run(join(half, 'bin/python'), [...pip, '--only-binary', ':all:', '--', ...packages]);
    if (!existsSync(place)) renameSync(half, place);
  } catch (error) {
    // Another process put its own there between the look and the renaming: that one is as good.
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
    throw new EnvironmentError(said === '' ? output.slice(-500) || 'pip ended without a word' : said);
  }
}
