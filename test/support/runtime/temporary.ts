import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readTestState } from '../run/test-state.js';

/**
 * A new directory that PostgreSQL's user can pass through. It lies in the run's own, so that also a killed run leaves
 * neither it nor a server on data in it for long.
 */
export function makeTemporaryDirectory(name: string): string {
  const directory = mkdtempSync(join(readTestState().directory, `${name}-`));
  chmodSync(directory, 0o711);
  return directory;
}
