import { readFileSync } from 'node:fs';

const pageBytes = 4_096;

/**
 * Memory of a process and its descendants, in bytes; shared memory counts once for each. 0 where the system does not
 * tell.
 */
export function memoryOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const pages = Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim().split(' ') ?? [];
  return children
    .filter((child) => child !== '')
    .reduce((sum, child) => sum + memoryOf(Number(child)), pages * pageBytes);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended, or this is no Linux.
    return undefined;
  }
}
