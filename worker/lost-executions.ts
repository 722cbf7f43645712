import type { Bell } from '../client/bell.js';
import type { ChoreRun } from './chore-run.js';

/** Up to this many threads are checked one by one. Above that, the list tells which ones to check. */
const fewEnough = 50;
/**
 * How many of the threads that the list calls awake are checked too, because the list may be wrong about one for
 * long.
 */
const sample = 20;
const atOnce = 16;

/**
 * Those of these threads that have no open execution. Each is checked in the end, because the list is some seconds
 * late.
 */
export async function findWithoutExecution<T extends { readonly threadId: string }>(
  bell: Pick<Bell, 'isAwake' | 'awake'>,
  silent: readonly T[],
  { signal, failed }: Pick<ChoreRun, 'signal' | 'failed'>,
): Promise<readonly T[]> {
  const suspects = silent.length > fewEnough ? await suspectsAmong(bell, silent) : silent;
  const asleep: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let one = suspects[next++]; one !== undefined && !signal.aborted; one = suspects[next++]) {
      const isAwake = await bell.isAwake(one.threadId).catch(failed);
      if (isAwake === false) asleep.push(one);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return asleep;
}

async function suspectsAmong<T extends { readonly threadId: string }>(
  bell: Pick<Bell, 'awake'>,
  silent: readonly T[],
): Promise<readonly T[]> {
  const listed = await bell.awake();
  const awake = silent.filter(({ threadId }) => listed.has(threadId));
  const start = Math.floor(Math.random() * awake.length);
  return [...silent.filter(({ threadId }) => !listed.has(threadId)), ...awake.slice(start, start + sample)];
}
