import { writeSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { openToolRunner } from '../../adapters/custom-tools/open-tool-runner.js';
import { createDocumentReader } from '../../adapters/documents/document-reader.js';
import { noExtensions } from '../../adapters/extensions/open-extensions.js';
import { openMcpServers } from '../../adapters/mcp/open-mcp-servers.js';
import { openCallbacks } from '../../adapters/web/callbacks.js';
import { openWeb } from '../../adapters/web/open-web.js';
import { createEmbeddings } from '../../adapters/embeddings/embeddings.js';
import { createModels } from '../../adapters/models/models.js';
import { createActivityCalls } from '../../client/activity-calls.js';
import { createBell } from '../../client/bell.js';
import { createArchivalStore } from '../../schema/archives/archival.js';
import { openDatabase } from '../../schema/db/database.js';
import { openVectors } from '../../schema/archives/open-vectors.js';
import { createWorker } from '../../worker/create-worker.js';
import { watchDeaths } from '../../worker/deaths.js';
import { openPresence } from '../../worker/presence.js';
import { watchWorker } from '../../worker/standstill.js';
import { createStops, patience, type Stop } from './points.js';
import { loadWorkflowBundle } from './runtime/temporal.js';
import { testVault } from './runtime/vault.js';
import { unhookPromises } from './runtime/workflow-hooks.js';

/**
 * A worker process that stops what it does at points, and waits to be killed. STOP: a stop that it knows from its start.
 * Its parent sends the others.
 */
const stops = createStops();
process.on('message', (stop: Stop) => {
  stops.add(stop);
});

/** A stopped transaction keeps its connection. */
const connections = 60;

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const env = process.env as Record<string, string>;
  const { pool, db } = openDatabase(env['DATABASE_URL']!, { connections, limits: patience });
  stops.observe(pool);
  if (env['STOP'] !== undefined) stops.add(JSON.parse(env['STOP']) as Stop);
  const providers = { openai: { baseUrl: env['OPENAI_BASE_URL']! } };
  const vectors = await openVectors(db);
  const temporal = new Client({
    connection: await Connection.connect({ address: env['TEMPORAL_ADDRESS']! }),
    namespace: env['TEMPORAL_NAMESPACE']!,
  });
  const presence = await openPresence({ db, databaseUrl: env['DATABASE_URL']! });
  const log = {
    warn: () => undefined,
    error: (message: string, details?: Readonly<Record<string, unknown>>): void => {
      process.stderr.write(`${message} ${String(details?.['error'])}\n`);
    },
  };
  if (env['STANDSTILL_MS'] !== undefined) {
    const afterMs = Number(env['STANDSTILL_MS']);
    watchWorker({ databaseUrl: env['DATABASE_URL']!, key: presence.key, afterMs });
  }
  watchDeaths({ db, temporal, log, key: presence.key });
  const worker = await createWorker({
    connection: await NativeConnection.connect({ address: env['TEMPORAL_ADDRESS']! }),
    namespace: env['TEMPORAL_NAMESPACE']!,
    taskQueue: env['PERDURE_TASK_QUEUE']!,
    identity: presence.identity,
    deps: {
      db,
      vault: testVault,
      models: createModels(providers),
      embeddings: createEmbeddings(providers),
      archival: createArchivalStore(vectors),
      documents: createDocumentReader(),
      vectors,
      waker: createBell(temporal, env['PERDURE_TASK_QUEUE']!),
      workerKey: presence.key,
      activityCalls: createActivityCalls(temporal, env['PERDURE_TASK_QUEUE']!),
      log,
      tools: openToolRunner(
        { timeoutMs: 60_000, sandbox: 'auto', apiUrl: 'http://127.0.0.1:9' },
        () => undefined,
      ),
      mcp: openMcpServers(),
      extensions: noExtensions,
      web: openWeb(undefined),
      callbacks: openCallbacks({ allowsPrivate: true }),
      modelTimeoutMs: Number(env['MODEL_TIMEOUT_MS'] ?? 300_000),
      // A call that stops waits for the kill.
      toolTimeoutMs: 600_000,
    },
    bundle: loadWorkflowBundle(),
    wrap: (activities) => stops.wrap(activities, db),
    inThisThread: true,
  });
  unhookPromises();
  const running = worker.run();
  writeSync(1, `ready ${presence.identity}\n`);
  await running;
}

await main();
