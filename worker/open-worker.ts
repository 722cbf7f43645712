import { NativeConnection, type Worker } from '@temporalio/worker';
import type { Log } from '../activities/deps.js';
import { openToolRunner, sandboxOf } from '../adapters/custom-tools/open-tool-runner.js';
import { openPassageStore } from '../adapters/archival/open-passage-store.js';
import { createEmbeddings } from '../adapters/embeddings/embeddings.js';
import { openExtensions } from '../adapters/extensions/open-extensions.js';
import { openMcpServers } from '../adapters/mcp/open-mcp-servers.js';
import { createModels } from '../adapters/models/models.js';
import type { Settings } from '../adapters/settings/settings.js';
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
import { createWorker, type OwnActivities } from './create-worker.js';
import { watchDeaths } from './deaths.js';
import { openPresence } from './presence.js';
import { watchWorker } from './standstill.js';
import { startFeeding } from './store-feed.js';
import { startSweeping } from './sweep.js';

/** The time to install a tool's packages, in ms, in addition to its run. */
const preparationMs = 300_000;
const dayMs = 24 * 60 * 60 * 1000;

/** The settings, log and extras of a worker. */
export interface OpenWorkerOptions {
  readonly settings: Settings;
  /** What a module of the user's own for archival memory is given. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Activities of a user, in addition to ours. */
  readonly activities?: OwnActivities | undefined;
  /** Ends the process where its event loop stands still, so that a supervisor starts it again. */
  readonly endsAtStandstill: boolean;
}

/** A worker with all that it needs open. */
export interface OpenWorker {
  /** Runs turns until the worker is shut down, then closes all. Once. */
  run(): Promise<void>;
  /** Takes no more work; what is under way has some seconds to end. */
  shutdown(): void;
}

/** Opens all that turns need, and a Temporal worker for them. Throws SettingsError. */
export async function openWorker(options: OpenWorkerOptions): Promise<OpenWorker> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
  };
  try {
    const worker = await openParts(options, (closer) => {
      closers.push(closer);
    });
    return {
      async run() {
        await worker.run();
        await close();
      },
      shutdown: () => {
        worker.shutdown();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Tells `onOpened` how to close each part that it opened. */
async function openParts(
  { settings, env, log, activities, endsAtStandstill }: OpenWorkerOptions,
  onOpened: (close: () => Promise<void>) => void,
): Promise<Worker> {
  const extensions = await openExtensions(settings.extensions);
  onOpened(() => extensions.close());
  const perdure = await connect({ settings });
  onOpened(() => perdure.close());
  await bindDatabase(perdure.db, settings.temporal);
  await adoptSecretKeys(perdure.db, perdure.vault);
  const connection = await NativeConnection.connect(
    toConnectionOptions(settings.temporal, perdure.endpoints.temporalAddress),
  );
  onOpened(() => connection.close());
  const embeddings = createEmbeddings(settings.providers, { defaultHandle: settings.embedding });
  onOpened(() => embeddings.close());
  await saveLoadedTools(perdure.db, extensions.all);
  const [vectors, presence] = await Promise.all([
    openVectors(perdure.db),
    openPresence({ db: perdure.db, databaseUrl: perdure.endpoints.databaseDirectUrl }),
  ]);
  onOpened(() => presence.close());
  // Before this worker takes work itself, so that a dead worker's work is released by then.
  onOpened(watchDeaths({ db: perdure.db, temporal: perdure.temporal, log, key: presence.key }));
  const itself = { databaseUrl: perdure.endpoints.databaseDirectUrl, key: presence.key };
  if (endsAtStandstill) onOpened(watchWorker(itself));
  const store = await openPassageStore(settings.archivalStore, env);
  if (store !== undefined) {
    onOpened(() => store.close());
    await registerStore(perdure.db, store.name);
  }
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
    ownActivities: activities,
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
  onOpened(stopSweeping);
  const { db, bell } = perdure;
  const listener = createBlockListener(perdure.endpoints.databaseUrl, wakeChannel);
  onOpened(() => listener.close());
  onOpened(startWaking({ db, bell, listener, log }));
  if (feed !== undefined) onOpened(startFeeding({ db, feed, log }));
  return worker;
}
