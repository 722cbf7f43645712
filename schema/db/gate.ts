/** Limits how many wait for the same row, within this process. */
export interface Gate {
  /**
   * Runs `work` once at most one other with this key is running. Throws GateTimeoutError where that takes too long;
   * `work` has not begun then.
   */
  pass<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Too many wait for the same row. Has the SQLSTATE of lock_timeout. */
class GateTimeoutError extends Error {
  override readonly name = 'GateTimeoutError';
  /** lock_not_available */
  readonly code = '55P03';
}

/** One works and the next one is ready. More would not be faster, and each takes a connection. */
const mostAtOnce = 2;

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Admits few at a time to wait for a row. The others wait here without a connection, for at most `withinMs`. */
export function createGate(withinMs: number): Gate {
  const crowds = new Map<string, { underWay: number; readonly waiting: Waiting[] }>();

  const enter = async (key: string): Promise<void> => {
    const crowd = crowds.get(key) ?? { underWay: 0, waiting: [] };
    crowds.set(key, crowd);
    if (crowd.underWay < mostAtOnce) {
      crowd.underWay += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        crowd.waiting.splice(crowd.waiting.indexOf(waiting), 1);
        reject(new GateTimeoutError(`The gate ${key} was busy for ${withinMs} ms.`));
      }, withinMs);
      const waiting = { begin: resolve, timer };
      crowd.waiting.push(waiting);
    });
  };
  const leave = (key: string): void => {
    const crowd = crowds.get(key);
    const next = crowd?.waiting.shift();
    if (next !== undefined) {
      // It takes over the place of the one that leaves.
      clearTimeout(next.timer);
      next.begin();
      return;
    }
    if (crowd === undefined) return;
    crowd.underWay -= 1;
    if (crowd.underWay === 0) crowds.delete(key);
  };

  return {
    async pass(key, work) {
      await enter(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
