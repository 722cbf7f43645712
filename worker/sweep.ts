import { randomUUID } from 'node:crypto';
import type { Log } from '../activities/deps.js';
import { releaseChore, claimChores } from '../schema/db/chore-claims.js';
import { type Chore, chores, patienceMs, slowChores, slowMs, type SweepDeps } from './chores.js';

/**
 * A chore ends after this time, in ms, and continues the next time. One that does not end is stuck and is given up.
 */
const choreLimitMs = 20_000;
const graceShare = 0.25;

/** What one sweep did. */
export interface Swept {
  readonly threads: number;
  readonly files: number;
}

/** Options of a sweep. */
export interface SweepOptions {
  /** Chores that any worker began within this time are skipped, in ms. Default 0: none are. */
  readonly everyMs?: number;
  /** When a chore is given up, in ms. */
  readonly limitMs?: number;
}

/**
 * Wakes threads whose bell was lost (its sender died after writing rows) or whose execution is gone while its turn is
 * unfinished (terminated, lost, a restored database). Does the same for files that nobody ingests, and removes
 * outdated rows.
 * 1. One worker at a time does a chore, and fifty workers do it as often as one.
 * 2. A chore that fails or hangs keeps no other from running, now or the next time.
 * 3. No connection is held between two statements.
 */
export async function sweep(deps: SweepDeps, options: SweepOptions = {}): Promise<Swept> {
  const { everyMs = 0, limitMs = choreLimitMs } = options;
  const holder = randomUUID();
  // Twice the limit: a worker that gives up a chore releases it; only a dead one doesn't.
  const take = (names: readonly string[], pace: number): Promise<readonly string[]> =>
    claimChores(deps.db, { names, holder, everyMs: pace, holdMs: 2 * limitMs });
  const slow = everyMs === 0 ? 0 : Math.max(everyMs, slowMs);
  const frequent = Object.keys(chores).filter((name) => !slowChores.includes(name));
  const taken = [...(await take(frequent, everyMs)), ...(await take(slowChores, slow))];
  const done = await Promise.all(
    taken.map(async (name) => [name, await attempt(deps, name, limitMs, holder)] as const),
  );
  const counts = Object.fromEntries(done);
  return { threads: counts['threads'] ?? 0, files: counts['files'] ?? 0 };
}

/** Runs one chore for its time. Returns how much it did. */
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
  await releaseChore(deps.db, name, holder).catch(failed);
  return count.done;
}

/** Rejects when the time is over, whether or not the work goes on. */
async function within(limitMs: number, name: string, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The chore ${name} hangs and was given up.`));
    }, limitMs);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sweeps every few seconds until stopped. Stopping waits for the current sweep. */
export function startSweeping(
  deps: Omit<SweepDeps, 'onFailed'> & { readonly log: Log; readonly everyMs?: number },
): () => Promise<void> {
  const everyMs = deps.everyMs ?? patienceMs / 2;
  const running = new Set<Promise<void>>();
  const once = async (): Promise<void> => {
    try {
      const onFailed = (error: unknown): void => {
        deps.log.warn('A part of the sweep failed. The next sweep tries it again.', { error });
      };
      const { threads, files } = await sweep({ ...deps, onFailed }, { everyMs });
      if (threads > 0) deps.log.warn(`Woke ${threads} threads whose bell or execution was lost.`);
      if (files > 0) deps.log.warn(`Resumed ${files} files that nobody was ingesting.`);
    } catch (error) {
      deps.log.error('The sweep failed. The next one tries again.', { error });
    }
  };
  const timer = setInterval(() => {
    // A chore that hangs does not hold up the others: the next sweep takes them.
    const sweeping = once().finally(() => running.delete(sweeping));
    running.add(sweeping);
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}
