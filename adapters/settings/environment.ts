import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * This process's variables, and those of `.env` in the directory, which they override. An empty variable counts as
 * unset, even if `.env` sets it, so that a value can be removed. Changes nothing in the process.
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
