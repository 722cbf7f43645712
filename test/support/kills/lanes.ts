import { type ModelServer, type Policy, startModelServer } from '../model-server.js';
import { startRuntime, type TestRuntime } from '../runtime/runtime.js';
import { createScriptedModels } from '../models/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../worker-process.js';

/** A runtime with a model and a worker process, which is killed again and again: each next one takes over. */
export interface Lane {
  readonly runtime: TestRuntime;
  /** Who works in the lane sets its policy. */
  readonly model: ModelServer;
  /** The worker at work. */
  worker(): WorkerProcess;
  /** Starts the next worker, kills the one at work once that is ready, and returns when, in ms. The next one may freeze too. */
  replaceWorker(freezeAt?: string): Promise<number>;
  /** What all workers of the lane said on stderr. */
  errors(): readonly string[];
  close(): Promise<void>;
}

/** Scenarios with kills, done side by side, each in a lane that it has for itself meanwhile. */
export interface Lanes {
  /** Begins with the items in their order, each when a lane is free, and returns how to wait for each. */
  each<Item, Result>(
    items: readonly Item[],
    work: (lane: Lane, item: Item) => Promise<Result>,
  ): readonly (() => Promise<Result>)[];
  /** Waits for what was begun. */
  close(): Promise<void>;
}

/** A kill is much starting and waiting: two side by side take hardly longer than one. */
const count = 2;

async function openLane(): Promise<Lane> {
  const runtime = await startRuntime({ models: createScriptedModels() });
  const model = await startModelServer(noPolicy);
  const spawnNext = (freezeAt = ''): WorkerProcess =>
    spawnWorker({ ...workerEnvironment(runtime, model), FREEZE_AT: freezeAt });
  const workers = [spawnNext()];
  await workers[0]!.ready;
  return {
    runtime,
    model,
    worker: () => workers.at(-1)!,
    async replaceWorker(freezeAt) {
      const [dying, next] = [workers.at(-1)!, spawnNext(freezeAt)];
      workers.push(next);
      await next.ready;
      const killedAt = Date.now();
      await dying.kill();
      return killedAt;
    },
    errors: () => workers.flatMap(({ errors }) => errors),
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await model.close();
      await runtime.close();
    },
  };
}

const noPolicy: Policy = () => ({ status: 500 });

/** What a worker process of this runtime is told by its environment. */
export function workerEnvironment(runtime: TestRuntime, model: ModelServer): Record<string, string> {
  return {
    DATABASE_URL: runtime.databaseUrl,
    TEMPORAL_ADDRESS: runtime.address,
    TEMPORAL_NAMESPACE: runtime.namespace,
    PERDURE_TASK_QUEUE: runtime.taskQueue,
    OPENAI_BASE_URL: model.baseUrl,
  };
}

export async function openLanes(): Promise<Lanes> {
  const free = await Promise.all(Array.from({ length: count }, openLane));
  const waiting: ((lane: Lane) => void)[] = [];
  const begun: Promise<unknown>[] = [];

  const take = (): Promise<Lane> => {
    const lane = free.shift();
    return lane === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(lane);
  };
  const giveBack = (lane: Lane): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(lane);
    else next(lane);
  };
  const begin = async <Item, Result>(
    item: Item,
    work: (lane: Lane, item: Item) => Promise<Result>,
  ): Promise<Result> => {
    const lane = await take();
    try {
      const result = await work(lane, item);
      giveBack(lane);
      return result;
    } catch (error) {
      // What it left in the lane is none of the next scenario's.
      await lane.close();
      giveBack(await openLane());
      throw error;
    }
  };

  return {
    each: (items, work) =>
      items.map((item) => {
        const done = begin(item, work);
        begun.push(done.catch(() => undefined));
        return () => done;
      }),
    async close() {
      await Promise.all(begun);
      await Promise.all(free.map((lane) => lane.close()));
    },
  };
}
