import { createEmbeddings } from '../../adapters/embeddings/embeddings.js';
import { createModels } from '../../adapters/models/models.js';
import type { ProvidersConfig } from '../../adapters/models/providers.js';
import type { Bell } from '../../client/bell.js';
import { createTurnListener } from '../../client/turn-listener.js';
import { createTurns } from '../../client/turns.js';
import { createArchivalStore } from '../../schema/archival.js';
import { type Db, openDatabase } from '../../schema/database.js';
import { exactVectors } from '../../schema/vectors-exact.js';
import { createApp } from '../../server/app.js';
import type { App, ServerSettings } from '../../server/deps.js';
import { createTestDatabase } from '../support/postgres.js';

/** Headers by which the official clients are known. */
export const fernHeaders = { 'x-fern-sdk-version': '0.1.172' };
export const stainlessHeaders = { 'x-stainless-package-version': '1.12.1', 'x-stainless-retry-count': '0' };

/** The REST server on a database of its own. Nobody works on its turns: tests write their ends themselves. */
export interface TestServer {
  readonly app: App;
  readonly db: Db;
  /** Threads that were rung. */
  readonly rung: readonly string[];
  /** The status and body of a JSON request. */
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<{ status: number; body: Json; headers: Record<string, unknown> }>;
  close(): Promise<void>;
}

/** What a test reads of a body: it says itself what it expects there. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export async function startTestServer(
  options: { settings?: ServerSettings; providers?: ProvidersConfig } = {},
): Promise<TestServer> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url, { connections: 6 });
  const listener = createTurnListener(testDatabase.url);
  const rung: string[] = [];
  const embeddings = createEmbeddings({});
  const app = createApp({
    db: database.db,
    turns: createTurns({ db: database.db, bell: recordingBell(rung), listener }),
    models: createModels(options.providers ?? {}),
    embeddings,
    archival: createArchivalStore(exactVectors('this is a test')),
    settings: { model: 'perdure/demo', ...options.settings },
  });
  return {
    app,
    db: database.db,
    rung,
    async call(method, url, { body, headers = {} } = {}) {
      const response = await app.inject({
        method,
        url,
        headers,
        ...(body === undefined ? {} : { payload: body as object }),
      });
      const text = response.body;
      return {
        status: response.statusCode,
        body: text === '' ? undefined : (JSON.parse(text) as Json),
        headers: response.headers,
      };
    },
    async close() {
      await app.close();
      await embeddings.close();
      await listener.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

function recordingBell(rung: string[]): Bell {
  return {
    ring: ({ threadId }) => {
      rung.push(threadId);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    isAwake: () => Promise.resolve(false),
  };
}
