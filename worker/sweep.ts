import { randomUUID } from 'node:crypto';
import type { Log } from '../activities/deps.js';
import { releaseUpkeep, takeUpkeep } from '../schema/db/upkeep-turns.js';
import { type Chore, chores, patienceMs, slowChores, slowMs, type SweepDeps } from './chores.js';

/** A chore ends after this time, in ms, and goes on the next time. One that does not end then is stuck, and given up. */
const choreLimitMs = 20_000;
const graceShare = 0.25;

/** What one sweep took up again. */
export interface Swept {
  readonly threads: number;
  readonly files: number;
}

/** How a sweep is done. */
export interface SweepOptions {
  /** What was begun within this time by any worker is left out, in ms. Default 0: all is done. */
  readonly everyMs?: number;
  /** When a chore is given up, in ms. */
  readonly limitMs?: number;
}

/**
 * Wakes threads whose bell was lost (the sender died between its rows and its ring) or whose execution is gone while
 * its turn is unfinished (terminated, lost, a restored database), does the same for files that nobody ingests, and
 * removes what has had its time.
 *
 * 1. Each chore is done by one worker at a time, and as often for fifty workers as for one.
 * 2. What fails, or hangs, keeps no other chore from being done, now or the next time.
 * 3. No connection is held between two statements.
 */
export async function sweep(deps: SweepDeps, options: SweepOptions = {}): Promise<Swept> {
  const { everyMs = 0, limitMs = choreLimitMs } = options;
  const holder = randomUUID();
  // Twice the limit: who has given a chore up says so, and only a worker that died says nothing.
  const take = (names: readonly string[], pace: number): Promise<readonly string[]> =>
    takeUpkeep(deps.db, { names, holder, everyMs: pace, holdMs: 2 * limitMs });
  const slow = everyMs === 0 ? 0 : Math.max(everyMs, slowMs);
  const frequent = Object.keys(chores).filter((name) => !slowChores.includes(name));
  const taken = [...(await take(frequent, everyMs)), ...(await take(slowChores, slow))];
  const done = await Promise.all(
    taken.map(async (name) => [name, await attempt(deps, name, limitMs, holder)] as const),
  );
  const counts = Object.fromEntries(done);
  return { threads: counts['threads'] ?? 0, files: counts['files'] ?? 0 };
}

/** Does one chore as far as it gets in its time. Returns how much it took up. */
async function attempt(deps: SweepDeps, name: string, limitMs: number, holder: string): Promise<number> {
  const count = { done: 0 };
  const chore: Chore | undefined = chores[name];
  if (chore === undefined) return 0;
  const failed = (error: unknown): void => deps.onFailed?.(error);
  try {
    const work = chore(deps, { signal: AbortSignal.timeout(limitMs), failed, count });
    await within(limitMs * (1 + graceShare), name, work);
  } catch (error) {
    failed(error);
  }
  await releaseUpkeep(deps.db, name, holder).catch(failed);
  return count.done;
}

/** Rejects when the time is over, whatever becomes of the work. */
async function within(limitMs: number, name: string, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The chore ${name} hangs, and was given up.`));
    }, limitMs);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sweeps every few seconds until stopped. Waits for the sweep under way. */
export function startSweeping(
  deps: Omit<SweepDeps, 'onFailed'> & { readonly log: Log; readonly everyMs?: number },
): () => Promise<void> {
  const everyMs = deps.everyMs ?? patienceMs / 2;
  const running = new Set<Promise<void>>();
  const once = async (): Promise<void> => {
    try {
      const onFailed = (error: unknown): void => {
        deps.log.warn('A part of the sweep failed; the next one tries it again.', { error });
      };
      const { threads, files } = await sweep({ ...deps, onFailed }, { everyMs });
      if (threads > 0) deps.log.warn(`Woke ${threads} threads that had lost their bell or their execution.`);
      if (files > 0) deps.log.warn(`Took up ${files} files that nobody worked on.`);
    } catch (error) {
      deps.log.error('The sweep failed; the next one tries again.', { error });
    }
  };
  const timer = setInterval(() => {
    // One that hangs in a chore keeps the others from nothing: they are taken by the next.
    const sweeping = once().finally(() => running.delete(sweeping));
    running.add(sweeping);
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}
