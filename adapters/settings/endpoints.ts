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

/** The contents of `stack.json` in a running stack's data directory. */
export type StackFile = z.output<typeof stackFile>;

/** The addresses of database and Temporal. */
export interface Endpoints {
  readonly databaseUrl: string;
  /** The database server itself, if the other leads to a pooler. */
  readonly databaseDirectUrl: string;
  readonly temporalAddress: string;
  /** The REST server of the running stack, if any. */
  readonly api?: string;
  /** Temporal's web page, if it is known. */
  readonly temporalUi?: string;
}

/** Writes where the stack is, for other programs of the user only, because it contains the database's password. */
export function writeStackFile(home: string, content: StackFile): void {
  mkdirSync(home, { recursive: true });
  const file = pathOf(home);
  writeFileSync(`${file}.tmp`, JSON.stringify(content, null, 2), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

export function removeStackFile(home: string): void {
  rmSync(pathOf(home), { force: true });
}

/** The running stack on this data directory; undefined where there is none, or only a killed one's file. */
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

/**
 * DATABASE_URL and TEMPORAL_ADDRESS, else those of the running stack. Throws SettingsError where there is neither.
 */
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
    ...findTemporalUi(settings, running, temporalAddress),
  };
}

/** The page of the settings, else the running stack's, if its Temporal is the one in use. */
function findTemporalUi(
  { temporal }: Settings,
  running: StackFile | undefined,
  address: string,
): Pick<Endpoints, 'temporalUi'> {
  const ui = temporal.uiUrl ?? (running?.temporalAddress === address ? running.temporalUi : undefined);
  return ui === undefined ? {} : { temporalUi: ui };
}

/** As `resolveEndpoints`, for programs that only need the database. */
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
