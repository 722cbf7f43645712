import { WorldFailure } from '../../core/failures.js';
import type { PassageStore } from '../../core/archives/passage-store.js';

/** The most time for one call of a store, in ms, so that a hanging store can't block worker or server for longer. */
const callLimitMs = 30_000;

/**
 * Wraps a store: a call that it rejects, or does not answer in time, fails with WorldFailure 'Archive.Unavailable'.
 * Temporal then tries again, and callers of the REST API are told to.
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
        // Not awaited, because a store that hangs would hang here too, and its failure has been reported.
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
    'The archival store (PERDURE_ARCHIVAL_STORE) failed. See the log of the process, and send the request again.';
  return new WorldFailure('Archive.Unavailable', message, {
    retryable: true,
    detail: (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500),
    cause: error,
  });
}
