import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isClone } from '../settings/own-modules.js';
import { SettingsError } from '../settings/settings-error.js';

/** A user's module, as a setting names it. */
export interface WantedModule {
  /** The setting, such as `PERDURE_EXTENSIONS`. Errors are sentences about it. */
  readonly variable: string;
  /** A path relative to the working directory (also of TypeScript), or an installed package. */
  readonly name: string;
}

/**
 * Loads a user's module and returns its exports. Throws SettingsError, with one sentence, where it can't be found or
 * fails while loading.
 */
export async function loadModule(wanted: WantedModule): Promise<Readonly<Record<string, unknown>>> {
  const specifier = specifierOf(wanted);
  // A clone's programs are started so that they read it; the package's are plain JavaScript.
  if (!isClone && /\.[cm]?ts$/.test(specifier)) (await import('tsx/esm/api')).register();
  try {
    return exportsOf(await import(specifier));
  } catch (error) {
    throw faultOf(wanted, `names ${wanted.name}, which can't be loaded: ${reasonOf(error)}`);
  }
}

/**
 * A SettingsError about the setting that names a module. `message` is the end of a sentence that begins with the
 * setting.
 */
function faultOf({ variable }: Pick<WantedModule, 'variable'>, message: string): SettingsError {
  return new SettingsError([{ variable, message }]);
}

function specifierOf(wanted: WantedModule): string {
  const { name } = wanted;
  const path = resolve(name);
  if (existsSync(path)) return pathToFileURL(path).href;
  if (/^[./]/.test(name) || /\.[cm]?[jt]s$/.test(name)) {
    throw faultOf(wanted, `names ${name}, but there is no file ${path}. Give its path from this directory.`);
  }
  return name;
}

/** The exports, also of a module that became CommonJS because its package does not say otherwise. */
function exportsOf(namespace: unknown): Readonly<Record<string, unknown>> {
  const exported = { ...(namespace as object) };
  const inner: unknown = 'default' in exported ? exported.default : undefined;
  const isWrapped = typeof inner === 'object' && inner !== null && '__esModule' in inner;
  return isWrapped ? { ...inner } : exported;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n', 1)[0] ?? '';
}
