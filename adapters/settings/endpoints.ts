import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { commandOf } from './own-modules.js';
import { isSameProcess } from './process-identity.js';
import { SettingsError } from './settings-error.js';
import type { Settings } from './settings.js';

const stackFile = z.object({
  pid: z.number(),
  identity: z.string(),
  databaseUrl: z.string(),
  databaseDirectUrl: z.string().optional(),
  temporalAddress: z.string(),
  temporalUi: z.string().optional(),
  api: z.string(),
  namespace: z.string(),
});

/** What a running stack tells of itself in `stack.json` of its data directory. */
export type StackFile = z.output<typeof stackFile>;

/** Where the two servers are that everything else works with. */
export interface Endpoints {
  readonly databaseUrl: string;
  /** The server itself, where the other leads through a pooler. */
  readonly databaseDirectUrl: string;
  readonly temporalAddress: string;
  /** The REST server of the running stack, where there is one. */
  readonly api?: string;
  readonly temporalUi?: string;
}

/** Tells other programs of the user where the stack is; nobody else, for the database's password is in it. */
export function writeStackFile(home: string, content: StackFile): void {
  mkdirSync(home, { recursive: true });
  const file = pathOf(home);
  writeFileSync(`${file}.tmp`, JSON.stringify(content, null, 2), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

export function removeStackFile(home: string): void {
  rmSync(pathOf(home), { force: true });
}

/** The stack that runs on this data directory; undefined when there is none, or only what a killed one left. */
export function readStackFile(home: string): StackFile | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(pathOf(home), 'utf8'));
  } catch {
    return undefined;
  }
  const { data } = stackFile.safeParse(content);
  return data !== undefined && isSameProcess(data.pid, data.identity) ? data : undefined;
}

/** DATABASE_URL and TEMPORAL_ADDRESS, else those of the running stack. Throws SettingsError when there is neither. */
export function resolveEndpoints(settings: Settings): Endpoints {
  const running = readStackFile(settings.home);
  const databaseUrl = settings.databaseUrl ?? running?.databaseUrl;
  const temporalAddress = settings.temporal.address ?? running?.temporalAddress;
  if (databaseUrl === undefined || temporalAddress === undefined) {
    throw missing(settings, {
      DATABASE_URL: databaseUrl === undefined,
      TEMPORAL_ADDRESS: temporalAddress === undefined,
    });
  }
  return {
    databaseUrl,
    databaseDirectUrl: findDirectUrl(settings, running) ?? databaseUrl,
    temporalAddress,
    ...(running === undefined ? {} : { api: running.api }),
    ...(running?.temporalUi === undefined ? {} : { temporalUi: running.temporalUi }),
  };
}

/** As `resolveEndpoints`, for programs that need the database alone. */
export function resolveDatabaseWays(
  settings: Settings,
): Pick<Endpoints, 'databaseUrl' | 'databaseDirectUrl'> {
  const running = readStackFile(settings.home);
  const databaseUrl = settings.databaseUrl ?? running?.databaseUrl;
  if (databaseUrl === undefined) throw missing(settings, { DATABASE_URL: true });
  return { databaseUrl, databaseDirectUrl: findDirectUrl(settings, running) ?? databaseUrl };
}

function findDirectUrl(settings: Settings, running: StackFile | undefined): string | undefined {
  const { databaseUrl, databaseDirectUrl } = settings.databaseUrl === undefined ? (running ?? {}) : settings;
  return databaseDirectUrl ?? databaseUrl;
}

function missing(settings: Settings, absent: Record<string, boolean>): SettingsError {
  const message = `is not set, and no stack runs on ${settings.home}. Start the stack with ${commandOf('start')}, or set DATABASE_URL and TEMPORAL_ADDRESS.`;
  const variables = Object.keys(absent).filter((variable) => absent[variable] === true);
  return new SettingsError(variables.map((variable) => ({ variable, message })));
}

function pathOf(home: string): string {
  return join(home, 'stack.json');
}
