import { Worker } from 'node:worker_threads';

/** What a process is at in a moment: what kind of work, and whose. */
export interface Work {
  readonly name: string;
  readonly id: string;
}

/** A statement by which others learn at what the process stood still. */
export interface StandstillMark {
  readonly databaseUrl: string;
  readonly statement: string;
  /** Of the statement; the work's id is one more, the last. */
  readonly values: readonly (string | number)[];
}

export interface StandstillOptions {
  /** For how long nothing may go on, in ms. Default 15,000. */
  readonly afterMs?: number;
  /** What this process is at, as what is running right now knows it. */
  readonly atWork?: () => Work | undefined;
  /** Executed before the process is ended, where it is known what it was at. */
  readonly mark?: StandstillMark;
}

/** How many looks without a sign of life end the process. */
const mostLooks = 15;
/** Where the thread that watches finds `atWork`: it can ask for what is global. */
const global = 'perdureAtWork';

/**
 * Watches this process's event loop from a thread, and ends the process (SIGKILL) when it has stood still for so long: who
 * keeps the process running starts it again, and what it was at goes on. Returns what ends the watch. Time in which the
 * whole process is stopped does not count.
 */
export function watchStandstill(options: StandstillOptions = {}): () => Promise<void> {
  const { afterMs = 15_000, atWork, mark } = options;
  const pulse = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const lookEveryMs = afterMs / mostLooks;
  Reflect.set(globalThis, global, atWork);
  const beat = setInterval(() => Atomics.add(pulse, 0, 1), lookEveryMs / 2).unref();
  const thread = new Worker(new URL('standstill-thread.mjs', import.meta.url), {
    workerData: { pulse, lookEveryMs, mostLooks, question: `globalThis.${global}?.()`, mark },
    execArgv: [],
  });
  thread.unref();
  return async () => {
    clearInterval(beat);
    await thread.terminate();
  };
}
