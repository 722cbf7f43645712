import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import type { Log } from '../activities/deps.js';
import { openToolRunner, sandboxOf } from '../adapters/custom-tools/open-tool-runner.js';
import { openPassageStore } from '../adapters/archival/open-passage-store.js';
import { createEmbeddings } from '../adapters/embeddings/embeddings.js';
import { openExtensions } from '../adapters/extensions/open-extensions.js';
import { openMcpServers } from '../adapters/mcp/open-mcp-servers.js';
import { createModels } from '../adapters/models/models.js';
import {
  loadEnvironment,
  readSettings,
  type Settings,
  SettingsError,
} from '../adapters/settings/settings.js';
import { toConnectionOptions } from '../adapters/settings/temporal-connection.js';
import { createDocumentReader } from '../adapters/documents/document-reader.js';
import { openCallbacks } from '../adapters/web/callbacks.js';
import { openWeb } from '../adapters/web/open-web.js';
import { chooseProvider } from '../adapters/web/search-providers.js';
import { createActivityCalls } from '../client/activity-calls.js';
import { createBlockListener } from '../client/block-listener.js';
import { connect } from '../client/connect.js';
import { createArchivalStore } from '../schema/archives/archival.js';
import { wakeChannel } from '../schema/blocks/writing.js';
import { saveLoadedTools } from '../schema/tools/extension-tools.js';
import { openVectors } from '../schema/archives/open-vectors.js';
import { registerStore } from '../schema/archives/passage-feed.js';
import { createStoreFeed } from '../schema/archives/store-feed.js';
import { bindDatabase } from '../schema/db/runtime-binding.js';
import { adoptSecretKeys } from '../schema/db/secret-keys.js';
import { startWaking } from './block-wakes.js';
import { createWorker } from './create-worker.js';
import { watchDeaths } from './deaths.js';
import { openPresence } from './presence.js';
import { watchWorker } from './standstill.js';
import { startFeeding } from './store-feed.js';
import { startSweeping } from './sweep.js';

/** The time to install a tool's packages, in ms, beside its run. */
const preparationMs = 300_000;
const dayMs = 24 * 60 * 60 * 1000;

/** The worker process: runs turns until it is stopped. */
async function main(): Promise<void> {
  const env = loadEnvironment();
  const settings = readSettings(env);
  const log = installRuntime(settings);
  const extensions = await openExtensions(settings.extensions);
  const perdure = await connect({ settings });
  await bindDatabase(perdure.db, settings.temporal);
  await adoptSecretKeys(perdure.db, perdure.vault);
  const connection = await NativeConnection.connect(
    toConnectionOptions(settings.temporal, perdure.endpoints.temporalAddress),
  );
  const embeddings = createEmbeddings(settings.providers, { defaultHandle: settings.embedding });
  await saveLoadedTools(perdure.db, extensions.all);
  const [vectors, presence] = await Promise.all([
    openVectors(perdure.db),
    openPresence({ db: perdure.db, databaseUrl: perdure.endpoints.databaseDirectUrl }),
  ]);
  // Before this worker takes work itself, so that a dead worker's work is released by then.
  const stopWatching = watchDeaths({ db: perdure.db, temporal: perdure.temporal, log, key: presence.key });
  const stopWatchingItself = watchWorker({
    databaseUrl: perdure.endpoints.databaseDirectUrl,
    key: presence.key,
  });
  const store = await openPassageStore(settings.archivalStore, env);
  if (store !== undefined) await registerStore(perdure.db, store.name);
  const feed = store === undefined ? undefined : createStoreFeed(store);
  const warn = (message: string): void => {
    log.warn(message);
  };
  const sandbox = sandboxOf(settings.tools, warn);
  const worker = await createWorker({
    connection,
    namespace: settings.temporal.namespace,
    taskQueue: settings.temporal.taskQueue,
    identity: presence.identity,
    limits: settings.worker,
    deps: {
      db: perdure.db,
      vault: perdure.vault,
      models: createModels(settings.providers, settings.modelSilence),
      embeddings,
      archival: createArchivalStore(vectors, feed),
      vectors,
      documents: createDocumentReader({ sandbox }),
      log,
      waker: perdure.bell,
      workerKey: presence.key,
      tools: openToolRunner(settings.tools, warn, sandbox),
      mcp: openMcpServers({ runsCommands: settings.mcpCommands }),
      extensions,
      activityCalls: createActivityCalls(perdure.temporal, settings.temporal.taskQueue),
      web: openWeb(chooseProvider(settings.webSearch)),
      callbacks: openCallbacks({ allowsPrivate: settings.callsBackPrivate }),
      modelTimeoutMs: settings.modelTimeoutMs,
      toolTimeoutMs: settings.tools.timeoutMs + preparationMs,
    },
  });
  const stopSweeping = startSweeping({
    db: perdure.db,
    bell: perdure.bell,
    partners: perdure.partners,
    ingestions: perdure.ingestions,
    reports: perdure.reports,
    schedules: perdure.scheduleSync,
    embeddings,
    vectors,
    ...(settings.keepStepsDays === undefined ? {} : { stepsKeptMs: settings.keepStepsDays * dayMs }),
    log,
  });
  const { db, bell } = perdure;
  const listener = createBlockListener(perdure.endpoints.databaseUrl, wakeChannel);
  const stopWaking = startWaking({ db, bell, listener, log });
  const stopFeeding = feed === undefined ? undefined : startFeeding({ db, feed, log });
  const running = worker.run();
  process.send?.({ ready: true });
  await running;
  await stopWatching();
  await stopSweeping();
  await stopWaking();
  await listener.close();
  await stopFeeding?.();
  await store?.close();
  await embeddings.close();
  await extensions.close();
  await presence.close();
  await connection.close();
  await perdure.close();
  await stopWatchingItself();
}

function installRuntime(settings: Settings): Log {
  const level = settings.logLevel === 'debug' ? 'DEBUG' : settings.logLevel === 'info' ? 'INFO' : 'WARN';
  const logger = new DefaultLogger(level);
  Runtime.install({
    logger,
    shutdownSignals: ['SIGINT', 'SIGTERM'],
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) } },
  });
  return {
    warn: (message, details) => {
      logger.warn(message, { ...details });
    },
    error: (message, details) => {
      logger.error(message, { ...details });
    },
  };
}

await main().catch((error: unknown) => {
  const message =
    error instanceof SettingsError ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${message}\n`);
  // Open connections would keep a failed worker's process alive, and its supervisor waiting.
  process.exit(1);
});
