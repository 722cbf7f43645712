import { readFileSync, statfsSync } from 'node:fs';

/** The in-memory file systems in which a sandboxed program may create files. */
const places = ['tmp', 'dev/shm'];
/** TMPFS_MAGIC of linux/magic.h. */
const inMemory = 0x01021994;

/**
 * How many files a sandboxed program has created on its in-memory file systems; 0 where the system does not tell.
 * `pid` is bubblewrap's, whose only child is in the namespace.
 */
export function countFiles(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const [inner] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return places
      .map((place) => usedIn(`/proc/${inner ?? ''}/root/${place}`))
      .reduce((sum, one) => sum + one, 0);
  } catch {
    // It has ended.
    return 0;
  }
}

function usedIn(path: string): number {
  const { type, files, ffree } = statfsSync(path);
  return type === inMemory ? files - ffree : 0;
}
