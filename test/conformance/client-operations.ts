import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { routeKey } from '../../server/http/unserved.js';
import { packageFile } from '../../stack/processes.js';

/** A request that Letta's clients can make. */
export interface ClientOperation {
  /** As the newest client that has it calls it, in Python's spelling: `agents.messages.create_async`. */
  readonly name: string;
  readonly method: string;
  /** Parameters in braces, without a slash at the end. */
  readonly path: string;
  /** Generations of clients that have it: 0 for 0.1.x, 1 for 1.x. */
  readonly generations: readonly (0 | 1)[];
}

/** Every operation of the installed TypeScript clients of both generations, by path and method. */
export function readClientOperations(): ClientOperation[] {
  const found = new Map<string, ClientOperation>();
  // The newer ones first: theirs is the name.
  for (const one of [...newerOperations(), ...olderOperations()]) {
    const key = routeKey(one.method, one.path);
    const known = found.get(key);
    const generations = [...new Set([...one.generations, ...(known?.generations ?? [])])].sort();
    found.set(key, { ...(known ?? one), generations });
  }
  return [...found.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf({ path, method }: ClientOperation): string {
  return `${path} ${method}`;
}

const methodLine = /^ {4}(?:async )?(\w+)\(.*\) \{$/;

/** Stainless: a class a file, and in each method one call with the path as a template. */
export function newerOperations(): ClientOperation[] {
  const root = packageFile('node_modules/letta-client-1/resources');
  return filesBelow(root, '.mjs').flatMap((file) => {
    const resource = resourceOf(relative(root, file).replace(/\.mjs$/, ''));
    return scan(file, (line) => {
      const call =
        /_client\.(get|post|put|patch|delete|getAPIList)\(\s*(?:path\s*)?[`'](\/v1[^`']*)[`']/.exec(line);
      if (call?.[1] === undefined || call[2] === undefined) return undefined;
      const method = call[1] === 'getAPIList' ? 'GET' : call[1].toUpperCase();
      return { method, path: call[2] };
    }).map(({ called, ...operation }) => ({
      ...operation,
      name: `${resource}.${called}`,
      generations: [1] as const,
    }));
  });
}

/** Fern: a class a directory, and in each method a joined URL, then its HTTP method. */
export function olderOperations(): ClientOperation[] {
  const root = packageFile('node_modules/letta-client-0/api/resources');
  return filesBelow(root, 'Client.js').flatMap((file) => {
    const resource = snake(relative(root, dirname(dirname(file))).replaceAll('/resources/', '.'));
    let path = '';
    return scan(file, (line) => {
      path = /url: .*, [`"](v1[^`"]*)[`"]\)/.exec(line)?.[1] ?? path;
      const method = /^\s+method: "(\w+)"/.exec(line)?.[1];
      return method === undefined ? undefined : { method, path: `/${path}` };
    }).map(({ called, ...operation }) => ({
      ...operation,
      name: `${resource}.${called}`,
      generations: [0] as const,
    }));
  });
}

interface Call {
  readonly method: string;
  readonly path: string;
}

function scan(
  file: string,
  read: (line: string) => Call | undefined,
): (Call & { readonly called: string })[] {
  let called = '';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      called = methodLine.exec(line)?.[1] ?? called;
      const call = read(line);
      return call === undefined
        ? []
        : [{ method: call.method, path: toPath(call.path), called: snake(called) }];
    });
}

function toPath(template: string): string {
  const named = template.replaceAll(/\$\{([^}]*)\}/g, (_all, expression: string) => {
    const name = /(\w+)\)*$/.exec(expression)?.[1] ?? 'id';
    return `{${snake(name.replace(/ID$/, 'Id'))}}`;
  });
  return named.replace(/\/+$/, '');
}

/** `agents/messages` is `agents.messages`; a class of the same name as its directory is the directory's own. */
function resourceOf(path: string): string {
  const parts = path.split('/').map((part) => part.replaceAll('-', '_'));
  return parts.filter((part, index) => part !== parts[index - 1]).join('.');
}

function snake(name: string): string {
  return name
    .replace(/^_+/, '')
    .replaceAll('/', '.')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function filesBelow(directory: string, ending: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(directory, file))
    .sort();
}
