import { startRuntime, type TestRuntime } from './runtime.js';
import { createScriptedModels } from './scripted-model.js';

/** Work that is done side by side, each piece on a runtime that it has for itself meanwhile. */
export interface Lanes {
  /**
   * Begins with the items in their order, each when a lane is free, and returns how to wait for each. Who asks again for
   * one, as the second try of a test does, has it done again.
   */
  each<Item, Result>(
    items: readonly Item[],
    work: (runtime: TestRuntime, item: Item) => Promise<Result>,
  ): readonly (() => Promise<Result>)[];
  /** Waits for what was begun. */
  close(): Promise<void>;
}

/** A kill is little computing and much waiting for Temporal's time-outs: two side by side take hardly longer than one. */
const count = 2;

/** Lanes whose runtimes have no worker: for work that starts, and kills, processes of its own. */
export async function openLanes(): Promise<Lanes> {
  const runtimes = await Promise.all(
    Array.from({ length: count }, () => startRuntime({ models: createScriptedModels() })),
  );
  const free = [...runtimes];
  const waiting: ((runtime: TestRuntime) => void)[] = [];
  const begun: Promise<unknown>[] = [];

  const take = (): Promise<TestRuntime> => {
    const runtime = free.shift();
    return runtime === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(runtime);
  };
  const giveBack = (runtime: TestRuntime): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(runtime);
    else next(runtime);
  };

  const begin = <Result>(work: (runtime: TestRuntime) => Promise<Result>): Promise<Result> => {
    const done = take().then((runtime) =>
      work(runtime).finally(() => {
        giveBack(runtime);
      }),
    );
    begun.push(done.catch(() => undefined));
    return done;
  };

  return {
    each: (items, work) =>
      items.map((item) => {
        const again = () => begin((runtime) => work(runtime, item));
        const attempts = [again()];
        return () => attempts.pop() ?? again();
      }),
    async close() {
      await Promise.all(begun);
      await Promise.all(runtimes.map((runtime) => runtime.close()));
    },
  };
}
