import { setTimeout as delay } from 'node:timers/promises';

/** Repeats `ask` until it returns something; undefined when the time is over. */
export async function waitFor<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  { timeoutMs, everyMs = 25 }: { timeoutMs: number; everyMs?: number },
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) return undefined;
    await delay(everyMs);
  }
}
