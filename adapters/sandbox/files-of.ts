import { readFileSync, statfsSync } from 'node:fs';

/** Where a sandboxed program may make files: file systems of its own, in memory. */
const places = ['tmp', 'dev/shm'];
/** TMPFS_MAGIC of linux/magic.h. */
const inMemory = 0x01021994;

/**
 * How many files a program in a mount namespace of its own has made, by what the namespace's file systems in memory say;
 * 0 where the system does not tell. `pid` is bubblewrap's, whose one child is in the namespace.
 */
export function filesOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const [inner] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return places
      .map((place) => usedIn(`/proc/${inner ?? ''}/root/${place}`))
      .reduce((sum, one) => sum + one, 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

function usedIn(path: string): number {
  const { type, files, ffree } = statfsSync(path);
  return type === inMemory ? files - ffree : 0;
}
