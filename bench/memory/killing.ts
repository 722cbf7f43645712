import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack.js';

/** How far the work has come, and how often the worker is killed during it. */
export interface Killing {
  /** Units of work that are done so far. */
  readonly done: () => number | Promise<number>;
  /** Units of work in all. */
  readonly of: number;
  readonly kills: number;
}

/** The supervisor waits longer and longer before it restarts a worker that ended sooner than this after its start. */
const healthyAfterMs = 5_500;

/** Kills the stack's worker at even intervals of the work. Returns the work's result and the number of kills. */
export async function whileKilling<T>(
  { worker }: Pick<Stack, 'worker'>,
  { done, of, kills }: Killing,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly kills: number }> {
  const state = { killed: 0, isOver: false };
  const ending = work.finally(() => (state.isOver = true));
  // The caller gets the failure below. Here it only ends the loop.
  ending.catch(() => undefined);
  while (state.killed < kills && !state.isOver) {
    const due = ((state.killed + 1) * of) / (kills + 1);
    await delay(100);
    if ((await done()) < due) continue;
    worker.kill('SIGKILL');
    state.killed += 1;
    await worker.whenReady();
    await delay(healthyAfterMs);
  }
  return { result: await ending, kills: state.killed };
}
