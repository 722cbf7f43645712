/** Lets one piece of work through at a time. */
export interface Gate {
  /** Runs the work when nothing else runs; of those that wait, the smallest goes first, then who came first. */
  run<T>(size: number, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** So a question of a turn waits for what runs, and for nothing of a document's or an archive's that waits as well. */
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
