import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A schema to compile, and arguments to check, as JSON. */
export interface SchemaQuestion {
  readonly schema: string;
  readonly args?: string;
}

export type SchemaAnswer =
  /** `args`: with types cast and defaults added, as JSON. */
  | { readonly kind: 'fits'; readonly args?: string }
  | { readonly kind: 'unfit'; readonly faults: readonly string[] }
  /** The schema itself can't be used. */
  | { readonly kind: 'unusable'; readonly fault: string };

/** A thread that answers one question after another. It starts at the first one, and again after it was ended. */
export interface Checker {
  /** Undefined where the answer took too much time or memory. Throws where the thread can't be started. */
  ask(question: SchemaQuestion): Promise<SchemaAnswer | undefined>;
}

const file = new URL('check-thread.mjs', import.meta.url);
const lookEveryMs = 100;
const heapMb = 128;

/**
 * Creates a checker without a thread yet. An idle thread does not keep the process alive. `mostMs`: the time limit of a
 * question, both by the clock and of this process's CPU time, of which a starved or stopped machine gives little.
 */
export function createChecker(mostMs: number): Checker {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const answerTo = async (question: SchemaQuestion): Promise<SchemaAnswer | undefined> => {
    const worker = (thread ??= await start());
    worker.ref();
    const answer = await settle(worker, question, mostMs);
    worker.unref();
    if (answer !== undefined) return answer;
    thread = undefined;
    await worker.terminate();
    return undefined;
  };
  return {
    ask(question) {
      const answer = last.then(() => answerTo(question));
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}

async function start(): Promise<Worker> {
  // Without the parent's arguments: the thread needs no loader, which would slow its start.
  const worker = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  await once(worker, 'message');
  // A thread out of memory also emits an error; its exit is handled below.
  worker.on('error', () => undefined);
  return worker;
}

function settle(worker: Worker, question: SchemaQuestion, mostMs: number): Promise<SchemaAnswer | undefined> {
  return new Promise((resolve) => {
    const started = { at: performance.now(), cpu: process.cpuUsage() };
    const end = (answer?: SchemaAnswer): void => {
      clearInterval(timer);
      worker.removeAllListeners('message');
      worker.removeAllListeners('exit');
      resolve(answer);
    };
    const timer = setInterval(() => {
      if (performance.now() - started.at >= mostMs && computedSince(started.cpu) >= mostMs) end();
    }, lookEveryMs);
    worker.once('message', end);
    worker.once('exit', () => {
      end();
    });
    worker.postMessage(question);
  });
}

/** The CPU time of all threads of this process since then, in ms. */
function computedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
