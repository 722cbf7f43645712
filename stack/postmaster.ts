import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess } from '../adapters/settings/process-identity.js';
import { commandLine } from './command-line.js';

/** A PostgreSQL server that runs on a cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Of the process: see `identifyProcess`. */
  readonly identity: string;
}

/**
 * The live server of this cluster, if there is one, according to its `postmaster.pid`. The number alone proves
 * nothing (it may have been given to another program since), so the process's command line must name the cluster.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = readLines(join(cluster, 'postmaster.pid'));
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  const identity = identifyProcess(pid);
  if (identity === undefined || !(port > 0)) return undefined;
  const command = commandLine(pid);
  return /postgres(\.exe)?\0/.test(command) && command.split('\0').includes(cluster)
    ? { pid, port, identity }
    : undefined;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
