import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A Python interpreter of this machine. */
export interface Python {
  /** The interpreter itself, not a shim that looks for it at each start. */
  readonly executable: string;
  /** The directory that must be readable to run it. */
  readonly prefix: string;
  /** Such as `3.11`. */
  readonly version: string;
}

const candidates = ['/usr/bin/python3', '/usr/local/bin/python3', 'python3'];
const question =
  'import sys, json; print(json.dumps({"executable": sys.executable, "prefix": sys.base_prefix, "version": "%d.%d" % sys.version_info[:2], "fits": sys.version_info >= (3, 9)}))';

let found: Promise<Python | undefined> | undefined;

/** The system's Python of version 3.9 or newer, else the first on PATH; undefined: none. */
export function findPython(): Promise<Python | undefined> {
  found ??= firstFitting();
  return found;
}

async function firstFitting(): Promise<Python | undefined> {
  for (const candidate of candidates) {
    const python = await ask(candidate);
    if (python !== undefined) return python;
  }
  return undefined;
}

async function ask(program: string): Promise<Python | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-I', '-c', question], { timeout: 10_000 });
    const { fits, ...python } = JSON.parse(stdout) as Python & { fits: boolean };
    return fits ? python : undefined;
  } catch {
    // Missing, or not a Python; the next one may be.
    return undefined;
  }
}
