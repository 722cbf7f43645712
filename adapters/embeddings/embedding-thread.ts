import { Worker } from 'node:worker_threads';
import { WorldFailure } from '../../core/failures.js';

/** A worker thread that embeds texts. It starts at the first call, and again after it died. */
export interface EmbeddingThread {
  /** Throws WorldFailure 'Embedding.Unavailable' when the thread dies, 'Embedding.Refused' when the model throws. */
  embed(texts: readonly string[]): Promise<number[][]>;
  /** Stops the thread. Pending calls fail. */
  close(): Promise<void>;
}

interface Question {
  readonly resolve: (vectors: number[][]) => void;
  readonly reject: (failure: WorldFailure) => void;
}

type Answer =
  { readonly id: number; readonly vectors: number[][] } | { readonly id: number; readonly error: string };

/** The limit of the young generation of the thread's heap, in MB. */
const youngMb = 4;

/** `file` listens for `{ id, texts }` and posts `{ id, vectors }` or `{ id, error }`. */
export function createEmbeddingThread(file: URL): EmbeddingThread {
  const open = new Map<number, Question>();
  let thread: Worker | undefined;
  let lastId = 0;

  const failAll = (died: Worker, reason: string): void => {
    if (thread !== died) return;
    thread = undefined;
    const questions = [...open.values()];
    open.clear();
    for (const question of questions) question.reject(unavailable(reason));
  };
  const settle = (answer: Answer): void => {
    const question = open.get(answer.id);
    open.delete(answer.id);
    if (open.size === 0) thread?.unref();
    if ('vectors' in answer) question?.resolve(answer.vectors);
    else question?.reject(refused(answer.error));
  };
  const start = (): Worker => {
    // Without the parent's arguments: the thread needs no loader, which would slow its start.
    const started = new Worker(file, {
      execArgv: [],
      // The model's intermediate values lie outside the heap and are freed only when small objects that own them are
      // collected, so collections must be frequent.
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    started.on('message', settle);
    started.on('error', (error) => {
      failAll(started, error instanceof Error ? error.message : String(error));
    });
    started.on('exit', (code) => {
      failAll(started, `the thread ended with code ${code}`);
    });
    return started;
  };

  return {
    embed(texts) {
      const worker = (thread ??= start());
      // An idle thread does not keep the process alive, but a working one must.
      worker.ref();
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        open.set(id, { resolve, reject });
        worker.postMessage({ id, texts });
      });
    },
    async close() {
      await thread?.terminate();
    },
  };
}

function unavailable(reason: string): WorldFailure {
  const message = 'The local embedding model stopped. It is started again at the next call.';
  return new WorldFailure('Embedding.Unavailable', message, {
    retryable: true,
    detail: reason.slice(0, 500),
  });
}

function refused(reason: string): WorldFailure {
  const message = 'The local embedding model could not read a text.';
  return new WorldFailure('Embedding.Refused', message, { retryable: false, detail: reason.slice(0, 500) });
}
