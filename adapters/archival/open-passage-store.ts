import type { PassageStore } from '../../core/archives/passage-store.js';
import { loadModule } from '../extensions/load-module.js';
import { SettingsError } from '../settings/settings-error.js';
import { guardStore } from './guarded-store.js';

const variable = 'PERDURE_ARCHIVAL_STORE';
const methods = ['insert', 'delete', 'search', 'list', 'count', 'close'] as const;

/**
 * Opens the store that a user's module exports as `openPassageStore(env)`, wrapped by `guardStore`; undefined where
 * no module is named. Throws SettingsError, with one sentence, where it can't be loaded or opened.
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
  return guardStore(opened);
}

// The cast adds nothing to what was checked: it is a function, and its author knows its arguments.
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

/** The members of a store, its own or its class's. */
function fieldsOf(value: object): Record<string, unknown> {
  return Object.fromEntries(['name', ...methods].map((key) => [key, Reflect.get(value, key)]));
}

function unfit(message: string): SettingsError {
  return new SettingsError([{ variable, message }]);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
