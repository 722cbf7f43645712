/** Runs one piece of work at a time. */
export interface Gate {
  /** Runs the work when nothing else runs. Of those waiting, the smallest goes first, then the oldest. */
  run<T>(size: number, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** A turn's query thus waits only for the current work, not for queued documents or archives. */
export function createGate(): Gate {
  const waiting: Waiting[] = [];
  let isBusy = false;

  const next = (): void => {
    const smallest = waiting.reduce<Waiting | undefined>(
      (best, each) => (best === undefined || each.size < best.size ? each : best),
      undefined,
    );
    isBusy = smallest !== undefined;
    if (smallest === undefined) return;
    waiting.splice(waiting.indexOf(smallest), 1);
    smallest.begin();
  };

  return {
    async run(size, work) {
      if (isBusy) await new Promise<void>((begin) => waiting.push({ size, begin }));
      isBusy = true;
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
