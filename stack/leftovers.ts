import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess } from '../adapters/settings/process-identity.js';

/** Removes unfinished files of ended processes from a directory: those named `<prefix><process id>`. */
export function removeLeftovers(directory: string, prefix: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix) || !isLeftBy(name.slice(prefix.length))) continue;
    rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function isLeftBy(pid: string): boolean {
  return /^\d+$/.test(pid) && (Number(pid) === process.pid || identifyProcess(Number(pid)) === undefined);
}
