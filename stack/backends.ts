import type { Settings } from '../adapters/settings/settings.js';
import type { Guard } from './guard.js';
import type { HomeFiles } from './home.js';
import { keepRunning } from './keep-running.js';
import type { Parts } from './parts.js';
import { findVectorLibrary } from './pgvector.js';
import { startPostgres, type PostgresOptions } from './postgres.js';
import type { OnProgress } from './progress.js';
import { findTemporalBinary } from './temporal-binary.js';
import { startTemporal, type TemporalOptions } from './temporal.js';
import { startUiProxy } from './temporal-ui.js';

/** What the stack has started so far, and the guard of its servers. */
export interface StackParts {
  readonly parts: Parts;
  readonly guard: Guard;
}

/** Where the database is. */
export interface StackDatabase {
  readonly url: string;
  /** The server's own URL, where `url` leads through a pooler. */
  readonly directUrl?: string | undefined;
}

/** The stack's database: that of the settings, else an embedded one, which is kept running. */
export async function startDatabase(
  settings: Settings,
  files: HomeFiles,
  { parts, guard }: StackParts,
  onProgress: OnProgress,
): Promise<StackDatabase> {
  if (settings.databaseUrl !== undefined)
    return { url: settings.databaseUrl, directUrl: settings.databaseDirectUrl };
  const vectorDir = await findVectorLibrary(onProgress);
  const options: PostgresOptions = { dataDir: files.postgres, vectorDir, onProgress };
  const server = await startPostgres(options);
  const found = server.vector
    ? 'pgvector'
    : 'exact search, because there is no pgvector library for this machine';
  onProgress(`Archival memory: ${settings.archivalStore ?? found}`);
  parts.add(
    keepRunning({
      name: 'PostgreSQL',
      server,
      startAgain: () => startPostgres({ ...options, port: server.port }),
      onRunning: ({ pid, identity }) => {
        guard.watch('PostgreSQL', { pid, identity, signal: 'SIGINT' });
      },
      killSignal: 'SIGQUIT',
      onProgress,
    }),
  );
  return { url: server.url };
}

/** Where Temporal is, and the environment variables by which the stack's programs reach it. */
export interface StackTemporal {
  readonly address: string;
  readonly uiUrl?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The stack's Temporal server: that of the settings, else an embedded one, which is kept running. */
export async function startStackTemporal(
  settings: Settings,
  files: HomeFiles,
  { parts, guard }: StackParts,
  onProgress: OnProgress,
): Promise<StackTemporal> {
  const { address, namespace, cli } = settings.temporal;
  if (address !== undefined) return { address, env: {} };
  const binary = await findTemporalBinary({ cli, onProgress });
  const logFile = files.log('temporal');
  const options: TemporalOptions = { binary, namespace, dbFile: files.temporal, logFile, onProgress };
  const server = await startTemporal(options);
  parts.add(
    keepRunning({
      name: 'Temporal',
      server,
      startAgain: () => startTemporal({ ...options, port: server.port }),
      onRunning: ({ pid, identity }) => {
        guard.watch('Temporal', { pid, identity, signal: 'SIGTERM' });
      },
      killSignal: 'SIGKILL',
      onProgress,
    }),
  );
  const proxy =
    server.uiUrl === undefined
      ? undefined
      : await startUiProxy({ ui: server.uiUrl, portFile: `${files.temporal}.ui-port` });
  if (proxy !== undefined) parts.add(proxy);
  return {
    address: server.address,
    ...(proxy === undefined ? {} : { uiUrl: proxy.url }),
    env: { TEMPORAL_ADDRESS: server.address, ...unencrypted },
  };
}

/** Unsets variables for another Temporal server, for programs that use the embedded one. */
const unencrypted = {
  TEMPORAL_API_KEY: '',
  TEMPORAL_TLS: '',
  TEMPORAL_TLS_CLIENT_CERT_PATH: '',
  TEMPORAL_TLS_CLIENT_KEY_PATH: '',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: '',
  TEMPORAL_TLS_SERVER_NAME: '',
};
