import { WorldFailure } from '../../core/failures.js';
import type { PassageStore } from '../../core/archives/passage-store.js';

/** What one call of a store may take, in ms: one that hangs must not hold worker or server for longer. */
const callLimitMs = 30_000;

/**
 * The store, of which every call that it rejects, or has not answered in time, ends as a WorldFailure
 * 'Archive.Unavailable': Temporal tries again, and a caller of REST is told to.
 */
export function guardStore(store: PassageStore, limitMs = callLimitMs): PassageStore {
  const guard = <T>(call: () => Promise<T>): Promise<T> => guarded(call, limitMs);
  return {
    name: store.name,
    insert: (passages) => guard(() => store.insert(passages)),
    delete: (ids) => guard(() => store.delete(ids)),
    search: (query) => guard(() => store.search(query)),
    async *list() {
      const ids = store.list()[Symbol.asyncIterator]();
      let isOver = false;
      try {
        for (;;) {
          const next = await guard(() => ids.next());
          if (next.done === true) {
            isOver = true;
            return;
          }
          yield next.value;
        }
      } finally {
        // Not waited for: what hangs would hang here, too, and a failure has been told already.
        if (!isOver) void Promise.resolve(ids.return?.()).catch(() => undefined);
      }
    },
    count: () => guard(() => store.count()),
    close: () => guard(() => store.close()),
  };
}

async function guarded<T>(call: () => Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`It gave no answer in ${limitMs} ms.`));
    }, limitMs);
  });
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(error: unknown): WorldFailure {
  const message =
    'The archival store of PERDURE_ARCHIVAL_STORE did not do what it was asked. Look into the log of the process, and send the same again.';
  return new WorldFailure('Archive.Unavailable', message, {
    retryable: true,
    detail: (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500),
    cause: error,
  });
}
