import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * The variables of this process, and under them those of `.env` in the directory. A variable that is set to nothing
 * counts as not set, also when `.env` sets it: so can one be taken back. Changes nothing in the process.
 */
export function loadEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  directory: string = process.cwd(),
): NodeJS.ProcessEnv {
  const all = { ...readEnvFile(join(directory, '.env')), ...env };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''));
}

function readEnvFile(file: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
