import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process's arguments, each ended by NUL; empty where there is no such process. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const line = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return line.trim().replaceAll(/\s+/g, '\0') + '\0';
  } catch {
    return '';
  }
}

/** The id of a process's parent; undefined where it can't be found. */
export function parentOf(pid: number): number | undefined {
  try {
    const said =
      process.platform === 'linux'
        ? /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        : execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
    return Number(said) > 0 ? Number(said) : undefined;
  } catch {
    return undefined;
  }
}
