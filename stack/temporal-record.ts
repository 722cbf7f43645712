import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSameProcess } from '../adapters/settings/process-identity.js';
import { waitFor } from './waiting.js';

/** The server that was started last on a database file. The next start finds it, or uses its ports. */
export interface TemporalRecord {
  readonly pid: number;
  /** Of the process: see `identifyProcess`. */
  readonly identity: string;
  readonly port: number;
  /** The port of the UI itself, behind its proxy. */
  readonly uiPort: number;
  readonly uiHost: string;
}

/** The record of a file, whether its server lives or not; undefined when there is none that can be read. */
export function readTemporalRecord(file: string): TemporalRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TemporalRecord;
  } catch {
    return undefined;
  }
}

/** Replaces the record in one step. */
export function writeTemporalRecord(file: string, record: TemporalRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.tmp`, JSON.stringify(record));
  renameSync(`${file}.tmp`, file);
}

/** Removes the record of a server that did not start. */
export function removeTemporalRecord(file: string): void {
  rmSync(file, { force: true });
}

/** Asks a server to end, and ends it by force after the grace; resolves when its process is gone. */
export async function endProcess(
  { pid, identity }: Pick<TemporalRecord, 'pid' | 'identity'>,
  { graceMs }: { graceMs: number },
): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isSameProcess(pid, identity)) return;
    process.kill(pid, signal);
    const gone = () => !isSameProcess(pid, identity) || undefined;
    if ((await waitFor(gone, { timeoutMs: graceMs })) === true) return;
  }
  throw new Error(`Process ${pid} does not end.`);
}
