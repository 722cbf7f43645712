import { WorldFailure } from '../../core/failures.js';
import type { PassageStore } from '../../core/passage-store.js';
import { loadModule } from '../extensions/load-module.js';
import { SettingsError } from '../settings/settings-error.js';

const variable = 'PERDURE_ARCHIVAL_STORE';
const methods = ['insert', 'delete', 'search', 'list', 'count', 'close'] as const;

/**
 * Opens the store that a module of the user's own exports as `openPassageStore(env)`; undefined where none is named.
 * Throws SettingsError, with one sentence, where it can't be loaded or opened. What the opened store then rejects with
 * becomes a WorldFailure 'Archive.Unavailable': Temporal tries again, and a caller of REST is told to.
 */
export async function openPassageStore(
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<PassageStore | undefined> {
  if (name === undefined) return undefined;
  const { openPassageStore: open } = await loadModule({ variable, name });
  if (typeof open !== 'function') throw unfit(`names ${name}, which does not export openPassageStore(env).`);
  const opened = await openBy(open, name, env);
  if (!isPassageStore(opened)) {
    throw unfit(
      `names ${name}, whose openPassageStore(env) gave no store: it needs a name and ${methods.join(', ')}.`,
    );
  }
  return guarded(opened);
}

// The cast says no more than what was checked: a function, of which the user says what it takes.
async function openBy(open: object, name: string, env: NodeJS.ProcessEnv): Promise<unknown> {
  try {
    return await (open as (env: NodeJS.ProcessEnv) => unknown)(env);
  } catch (error) {
    throw unfit(`names ${name}, which can't be opened: ${reasonOf(error)}`);
  }
}

function isPassageStore(value: unknown): value is PassageStore {
  if (typeof value !== 'object' || value === null) return false;
  const fields = fieldsOf(value);
  return (
    typeof fields['name'] === 'string' &&
    fields['name'] !== '' &&
    methods.every((method) => typeof fields[method] === 'function')
  );
}

/** What a store needs, whether it is an object's own or its class's. */
function fieldsOf(value: object): Record<string, unknown> {
  return Object.fromEntries(['name', ...methods].map((key) => [key, Reflect.get(value, key)]));
}

function guarded(store: PassageStore): PassageStore {
  return {
    name: store.name,
    insert: (passages) => guard(() => store.insert(passages)),
    delete: (ids) => guard(() => store.delete(ids)),
    search: (query) => guard(() => store.search(query)),
    async *list() {
      try {
        yield* store.list();
      } catch (error) {
        throw unavailable(error);
      }
    },
    count: () => guard(() => store.count()),
    close: () => store.close(),
  };
}

async function guard<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(error: unknown): WorldFailure {
  const message = `The archival store of ${variable} did not do what it was asked. Look into the log of the process, and send the same again.`;
  return new WorldFailure('Archive.Unavailable', message, {
    retryable: true,
    detail: reasonOf(error).slice(0, 500),
    cause: error,
  });
}

function unfit(message: string): SettingsError {
  return new SettingsError([{ variable, message }]);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
