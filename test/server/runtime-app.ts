import { openMcpServers } from '../../adapters/mcp/open-mcp-servers.js';
import { createModels } from '../../adapters/models/models.js';
import { createIngestions } from '../../client/ingestions.js';
import { createSchedules } from '../../client/schedules.js';
import { createArchivalStore } from '../../schema/archives/archival.js';
import { exactVectors } from '../../schema/archives/vectors-exact.js';
import { createApp } from '../../server/app.js';
import type { App, ServerSettings } from '../../server/deps.js';
import { testEmbeddings } from '../support/runtime/embeddings.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { noTools } from '../support/tools/tool-runners.js';
import { testVault } from '../support/runtime/vault.js';

/** The REST server over a runtime, not yet listening. */
export function createRuntimeApp(runtime: TestRuntime, settings: Partial<ServerSettings> = {}): App {
  const vectors = exactVectors('this is a test');
  return createApp({
    db: runtime.db,
    vault: testVault,
    probe: { answers: () => Promise.resolve(true), close: () => Promise.resolve() },
    turns: runtime.turns,
    talks: runtime.talks,
    blocks: runtime.blocks,
    sleepTime: runtime.sleepTime,
    schedules: createSchedules({ db: runtime.db, sync: runtime.schedules }),
    models: createModels({}),
    embeddings: testEmbeddings,
    archival: createArchivalStore(vectors),
    vectors,
    mcp: openMcpServers(),
    ingestions: createIngestions(runtime.temporal, runtime.taskQueue),
    tools: noTools,
    extensions: runtime.extensions,
    settings,
  });
}

/** A runtime with a worker and its REST server, which is listening. */
export interface RuntimeServer {
  readonly runtime: TestRuntime;
  readonly app: App;
  readonly url: string;
  /** Closes both. */
  readonly close: () => Promise<void>;
}

export async function startRuntimeServer(
  options: Parameters<typeof startRuntime>[0],
  settings: Partial<ServerSettings> = {},
): Promise<RuntimeServer> {
  const runtime = await startRuntime(options);
  await runtime.startWorker();
  const app = createRuntimeApp(runtime, settings);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    runtime,
    app,
    url,
    async close() {
      await app.close();
      await runtime.close();
    },
  };
}
