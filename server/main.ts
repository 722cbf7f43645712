import { openToolRunner } from '../adapters/custom-tools/open-tool-runner.js';
import { openPassageStore } from '../adapters/archival/open-passage-store.js';
import { createEmbeddings } from '../adapters/embeddings/embeddings.js';
import { openExtensions } from '../adapters/extensions/open-extensions.js';
import { openMcpServers } from '../adapters/mcp/open-mcp-servers.js';
import { watchStandstill } from '../adapters/standstill/standstill.js';
import { createModels } from '../adapters/models/models.js';
import { isExposed } from '../adapters/settings/exposure.js';
import { loadEnvironment, readSettings, SettingsError } from '../adapters/settings/settings.js';
import { connect } from '../client/connect.js';
import { createArchivalStore } from '../schema/archives/archival.js';
import { openDatabaseProbe } from '../schema/db/probe.js';
import { saveLoadedTools } from '../schema/tools/extension-tools.js';
import { openVectors } from '../schema/archives/open-vectors.js';
import { registerStore } from '../schema/archives/passage-feed.js';
import { createStoreFeed } from '../schema/archives/store-feed.js';
import { adoptSecretKeys } from '../schema/db/secret-keys.js';
import { createApp } from './app.js';

/** The server process: answers REST requests until it is told to stop, then ends what is open and exits. */
async function main(): Promise<void> {
  const env = loadEnvironment();
  const settings = readSettings(env);
  const { host, port, password, allowedHosts } = settings.http;
  const extensions = await openExtensions(settings.extensions);
  // Extensions run in workers; the server only needs their descriptions.
  await extensions.close();
  const perdure = await connect({
    settings,
    onRingFailed: (error) => {
      app.log.warn({ err: error }, 'a thread could not be woken at once; the sweep will wake it');
    },
  });
  await adoptSecretKeys(perdure.db, perdure.vault);
  const embeddings = createEmbeddings(settings.providers, { defaultHandle: settings.embedding });
  await saveLoadedTools(perdure.db, extensions.all);
  const vectors = await openVectors(perdure.db);
  const store = await openPassageStore(settings.archivalStore, env);
  if (store !== undefined) await registerStore(perdure.db, store.name);
  const probe = openDatabaseProbe(perdure.endpoints.databaseUrl);
  const app = createApp({
    db: perdure.db,
    vault: perdure.vault,
    probe,
    turns: perdure.turns,
    talks: perdure.talks,
    sleepTime: perdure.sleepTime,
    blocks: perdure.blocks,
    schedules: perdure.schedules,
    models: createModels(settings.providers, settings.modelSilence),
    embeddings,
    archival: createArchivalStore(vectors, store && createStoreFeed(store)),
    vectors,
    mcp: openMcpServers({ runsCommands: settings.mcpCommands }),
    extensions: extensions.all,
    ingestions: perdure.ingestions,
    tools: openToolRunner(settings.tools, (message) => {
      process.stderr.write(`${message}\n`);
    }),
    settings: {
      model: settings.model,
      password,
      allowedHosts,
      mcpCommands: settings.mcpCommands,
      allowsCommands: !isExposed(settings.http),
      toolsAreIsolated: settings.tools.sandbox === 'strict',
      logLevel: settings.logLevel,
      temporal: { namespace: settings.temporal.namespace, ui: perdure.endpoints.temporalUi },
      fileLimitMb: settings.fileLimitMb,
      prices: settings.prices,
    },
  });
  const stopWatchingItself = watchStandstill();
  const stop = async (): Promise<void> => {
    await app.close();
    await probe.close();
    await embeddings.close();
    await store?.close();
    await perdure.close();
    await stopWatchingItself();
  };
  // Before it listens: a process that hears that the server is up may stop it at once.
  stopOnSignal(stop);
  const address = await app.listen({ host, port });
  process.send?.({ ready: true, address });
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const onSignal = (): void => {
    stopping ??= stop().catch(fail);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function fail(error: unknown): void {
  const message =
    error instanceof SettingsError ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

await main().catch(fail);
