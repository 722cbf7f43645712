import type { Bell } from '../client/bell.js';
import type { ChoreRun } from './chore-run.js';

/** Up to as many, each is asked about by itself; beyond, the list says which are worth asking about. */
const fewEnough = 50;
/** Of those that the list says are awake, as many are asked about all the same: it may be wrong about one for long. */
const sample = 20;
const atOnce = 16;

/** The threads among these that have no open execution. Told one by one in the end: a list is some seconds late. */
export async function findAsleep<T extends { readonly threadId: string }>(
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
