import { readStackFile, removeStackFile, writeStackFile } from '../adapters/settings/endpoints.js';
import { identifyProcess } from '../adapters/settings/process-identity.js';
import { makeSecretKey } from '../adapters/settings/secret-keys.js';
import type { Settings } from '../adapters/settings/settings.js';
import { claimApi, waitForHealth } from './api.js';
import { type StackDatabase, startDatabase, startStackTemporal } from './backends.js';
import { createGuard, type Guard } from './guard.js';
import { prepareHome, type HomeFiles } from './home.js';
import { takeLock } from './lock.js';
import { keepLogsShort } from './logs.js';
import { createParts, type Parts } from './parts.js';
import { runProgram } from './processes.js';
import { preparePrograms } from './programs.js';
import type { OnProgress } from './progress.js';
import { showProgress } from './progress.js';
import { supervise, type Supervised } from './supervisor.js';

export interface StartStackOptions {
  readonly onProgress: OnProgress;
  /** The environment of the spawned programs, before the stack adds its own variables. */
  readonly env?: NodeJS.ProcessEnv;
  /** Cancels the start at its next step; what was started is ended again. */
  readonly signal?: AbortSignal;
}

/** All of perdure, running. */
export interface Stack {
  readonly home: string;
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  readonly temporalUi?: string;
  /** The base URL of the REST server. */
  readonly api: string;
  readonly worker: Supervised;
  readonly server: Supervised;
  /** Ends everything that was started, in reverse order. */
  stop(): Promise<void>;
  /** Ends everything at once, without waiting; nothing that was committed is lost. */
  kill(): void;
}

/**
 * Starts PostgreSQL and Temporal, unless the settings name others, then runs the migrations and starts worker and server.
 * Resolves when the server's health check answers. Throws StackRunningError when another stack has the data directory, and
 * ends what it started when a part fails.
 */
export async function startStack(settings: Settings, options: StartStackOptions): Promise<Stack> {
  const files = prepareHome(settings, options.onProgress);
  const lock = takeLock(settings.home);
  if (settings.secretKey === undefined) makeSecretKey(settings.home);
  const parts = createParts();
  parts.add(atOnce('lock', lock.release));
  parts.add(atOnce('logs', keepLogsShort({ logFiles: files.logs, onProgress: options.onProgress })));
  try {
    const guard = createGuard(settings.home);
    parts.add(guard);
    const start = { settings, options, files, parts, guard, env: options.env ?? process.env };
    return await startParts(start, lock.tookOver);
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }
}

interface Start {
  readonly settings: Settings;
  readonly options: StartStackOptions;
  readonly files: HomeFiles;
  readonly parts: Parts;
  readonly guard: Guard;
  readonly env: NodeJS.ProcessEnv;
}

async function startParts(start: Start, tookOver: boolean): Promise<Stack> {
  const { settings, files, parts, guard } = start;
  const { onProgress, signal } = start.options;
  const claiming = claimApi(settings.http, { patient: tookOver, onProgress });
  // The port comes first, before anything is made. After a killed stack, its server may still be ending.
  if (!tookOver) await claiming;
  const [api, database, temporal, programs] = await all(
    claiming,
    startDatabase(settings, files, start, onProgress),
    startStackTemporal(settings, files, start, onProgress),
    preparePrograms(settings),
  );
  guard.begin(programs.guard);
  signal?.throwIfAborted();
  const env = {
    ...start.env,
    ...temporal.env,
    PERDURE_HOME: settings.home,
    DATABASE_URL: database.url,
    HOST: settings.http.host,
    PORT: String(api.port),
  };
  const migrate = { name: 'migrate', entry: programs.migrate, logFile: files.log('migrate') };
  const migrating = runProgram({ ...migrate, env });
  await showProgress(onProgress, 'Migrating the database', migrating);
  signal?.throwIfAborted();
  announce(start, { database, temporal, api: api.url });
  const [worker, server] = await all(
    superviseProgram(start, env, { name: 'worker', entry: programs.worker }),
    superviseProgram(start, env, { name: 'server', entry: programs.server }),
  );
  await showProgress(onProgress, 'Waiting for the API', waitForHealth(api.url, settings.http.password));
  signal?.throwIfAborted();
  return {
    home: settings.home,
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    ...(temporal.uiUrl === undefined ? {} : { temporalUi: temporal.uiUrl }),
    api: api.url,
    worker,
    server,
    stop: () => parts.stop(),
    kill: () => {
      parts.kill();
    },
  };
}

function announce(
  { settings, parts }: Start,
  running: { database: StackDatabase; temporal: { address: string; uiUrl?: string }; api: string },
): void {
  writeStackFile(settings.home, {
    pid: process.pid,
    identity: identifyProcess(process.pid) ?? '',
    databaseUrl: running.database.url,
    ...(running.database.directUrl === undefined ? {} : { databaseDirectUrl: running.database.directUrl }),
    temporalAddress: running.temporal.address,
    ...(running.temporal.uiUrl === undefined ? {} : { temporalUi: running.temporal.uiUrl }),
    api: running.api,
    namespace: settings.temporal.namespace,
  });
  const remove = (): void => {
    if (readStackFile(settings.home)?.pid === process.pid) removeStackFile(settings.home);
  };
  parts.add(atOnce('stack.json', remove));
}

function atOnce(
  name: string,
  end: () => void,
): { name: string; stop: () => Promise<void>; kill: () => void } {
  return {
    name,
    stop: () => {
      end();
      return Promise.resolve();
    },
    kill: end,
  };
}

async function superviseProgram(
  { files, parts, options }: Start,
  env: NodeJS.ProcessEnv,
  { name, entry }: { name: string; entry: string },
): Promise<Supervised> {
  const { onProgress } = options;
  const starting = supervise({ name, entry, logFile: files.log(name), env, onProgress });
  const supervised = await showProgress(onProgress, `Waiting for the ${name}`, starting);
  parts.add({
    name,
    stop: () => supervised.stop(),
    kill: () => {
      supervised.abandon();
    },
  });
  return supervised;
}

/** As Promise.all, but waits for all to settle: what one starts while another fails must be known, so that it can be ended. */
async function all<T extends readonly unknown[]>(...work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(work);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
