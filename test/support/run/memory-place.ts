import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** Where Linux has files in memory. */
const place = '/dev/shm';
/** Many times what the databases of a run take. */
const roomBytes = 4 * 2 ** 30;

/**
 * A directory in memory, where there is one with room. Every clone of the template has a thousand files, which ext4 without
 * a journal makes ten times as slowly when as many have just been deleted.
 */
export function placeInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(place);
    return Math.min(bavail * bsize, freemem()) >= roomBytes ? place : undefined;
  } catch {
    return undefined;
  }
}
