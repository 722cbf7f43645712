import { Worker } from 'node:worker_threads';

/** The current work of a process: its kind and its id. */
export interface Work {
  readonly name: string;
  readonly id: string;
}

/** A statement that records what blocked the process. */
export interface StandstillMark {
  readonly databaseUrl: string;
  readonly statement: string;
  /** Parameters of the statement. The work's id is added as the last one. */
  readonly values: readonly (string | number)[];
}

export interface StandstillOptions {
  /** How long the event loop may be blocked, in ms. Default 15,000. */
  readonly afterMs?: number;
  /** The work that is running at this moment. */
  readonly atWork?: () => Work | undefined;
  /** Executed before the process ends, if its work is known. */
  readonly mark?: StandstillMark;
}

/** How many checks without a sign of life end the process. */
const mostLooks = 15;
/** A global name under which the watching thread finds `atWork`. */
const global = 'perdureAtWork';

/**
 * Watches this process's event loop from a thread and ends the process (SIGKILL) when it is blocked for too long. Its
 * supervisor then starts it again. Returns a function that stops the watch. Time in which the whole process is
 * stopped does not count.
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
