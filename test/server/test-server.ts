import type { z } from 'zod';
import { openToolRunner } from '../../adapters/custom-tools/open-tool-runner.js';
import { openMcpServers } from '../../adapters/mcp/open-mcp-servers.js';
import { createModels } from '../../adapters/models/models.js';
import type { ProvidersConfig } from '../../adapters/models/providers.js';
import type { Bell } from '../../client/bell.js';
import type { PartnerBell } from '../../client/partner-bell.js';
import { createBlockListener } from '../../client/block-listener.js';
import { createBlocks } from '../../client/blocks.js';
import type { Ingestions } from '../../client/ingestions.js';
import { createTurnListener } from '../../client/turn-listener.js';
import type { ScheduleSync } from '../../client/schedule-sync.js';
import { createSchedules } from '../../client/schedules.js';
import { createSleepTime } from '../../client/sleep-time.js';
import { createTalks } from '../../client/talks.js';
import { createTurns } from '../../client/turns.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { Vault } from '../../core/vault.js';
import { createArchivalStore } from '../../schema/archives/archival.js';
import { type Db, openDatabase } from '../../schema/db/database.js';
import { openDatabaseProbe } from '../../schema/db/probe.js';
import { exactVectors } from '../../schema/archives/vectors-exact.js';
import type { WaitLimits } from '../../schema/db/wait-limits.js';
import { createApp } from '../../server/app.js';
import type { App, ServerSettings } from '../../server/deps.js';
import { wireAgent, type WireAgent } from '../../server/agents/agents-wire.js';
import { testEmbeddings } from '../support/runtime/embeddings.js';
import { createTestDatabase } from '../support/runtime/postgres.js';
import { testVault } from '../support/runtime/vault.js';

/** Headers that identify the official clients. */
export const fernHeaders = { 'x-fern-sdk-version': '0.1.172' };
export const stainlessHeaders = { 'x-stainless-package-version': '1.12.1', 'x-stainless-retry-count': '0' };

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The REST server on its own database. No worker runs: tests write the ends of turns themselves. */
export interface TestServer {
  readonly app: App;
  readonly db: Db;
  /** Threads whose bell was rung, and partners that were woken. */
  readonly rung: readonly string[];
  /** Files whose ingestion was started. No worker ingests them. */
  readonly started: readonly string[];
  /** Sends a JSON request and returns the answer. */
  call(method: Method, url: string, options?: CallOptions): Promise<Answer>;
  /** Sends a request and returns its body, which must have this shape and status 200. */
  read<T extends z.ZodType>(
    shape: T,
    method: Method,
    url: string,
    options?: CallOptions,
  ): Promise<z.infer<T>>;
  /** Another server process on the same database. It closes with this one. */
  startPeer(): TestServer;
  /** Creates an agent with the defaults of an unknown client. */
  anAgent(body?: object): Promise<WireAgent>;
  close(): Promise<void>;
}

interface TestServerOptions {
  readonly settings?: ServerSettings;
  readonly extensions?: readonly ExtensionDescription[];
  readonly providers?: ProvidersConfig;
  readonly vault?: Vault;
  /** A fully migrated database. Without one, the server gets its own. */
  readonly databaseUrl?: string;
  /** The time limits of its connections. */
  readonly limits?: WaitLimits;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  if (options.databaseUrl !== undefined) return startOn(options.databaseUrl, options);
  const testDatabase = await createTestDatabase();
  const server = startOn(testDatabase.url, options);
  return {
    ...server,
    async close() {
      await server.close();
      await testDatabase.drop();
    },
  };
}

function startOn(databaseUrl: string, options: TestServerOptions): TestServer {
  const database = openDatabase(databaseUrl, {
    connections: 6,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const listener = createTurnListener(databaseUrl);
  const blockListener = createBlockListener(databaseUrl);
  const rung: string[] = [];
  const started: string[] = [];
  const peers: TestServer[] = [];
  const vectors = exactVectors('this is a test');
  const bell = recordingBell(rung);
  const turns = createTurns({ db: database.db, bell, listener });
  const probe = openDatabaseProbe(databaseUrl);
  const app = createApp({
    db: database.db,
    vault: options.vault ?? testVault,
    probe,
    sleepTime: createSleepTime({ db: database.db, partners: recordingPartners(rung) }),
    blocks: createBlocks({ db: database.db, listener: blockListener }),
    schedules: createSchedules({ db: database.db, sync: noScheduler }),
    turns,
    talks: createTalks({ db: database.db, bell, listener, turns }),
    models: createModels(options.providers ?? {}),
    embeddings: testEmbeddings,
    archival: createArchivalStore(vectors),
    vectors,
    mcp: openMcpServers({ runsCommands: options.settings?.mcpCommands === true }),
    extensions: options.extensions ?? [],
    ingestions: recordingIngestions(started),
    tools: openToolRunner(
      { timeoutMs: 20_000, sandbox: 'auto', apiUrl: 'http://127.0.0.1:9' },
      () => undefined,
    ),
    settings: { model: 'perdure/demo', ...options.settings },
  });
  const call: TestServer['call'] = async (method, url, { body, headers = {} } = {}) => {
    const payload = body === undefined ? {} : { payload: body as object };
    const response = await app.inject({ method, url, headers, ...payload });
    const answer: unknown = response.body === '' ? undefined : JSON.parse(response.body);
    return { status: response.statusCode, body: answer, headers: response.headers };
  };
  const read: TestServer['read'] = async (shape, method, url, options) => {
    const { status, body } = await call(method, url, options);
    if (status !== 200) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`);
    return shape.parse(body);
  };
  return {
    app,
    db: database.db,
    rung,
    started,
    call,
    read,
    startPeer() {
      const peer = startOn(databaseUrl, options);
      peers.push(peer);
      return peer;
    },
    anAgent: (body = {}) => read(wireAgent, 'POST', '/v1/agents', { body }),
    async close() {
      for (const peer of peers) await peer.close();
      await app.close();
      await probe.close();
      await listener.close();
      await blockListener.close();
      await database.close();
    },
  };
}

/** Ignores schedules. Tests of Temporal's part use a runtime. */
const noScheduler: ScheduleSync = {
  push: () => Promise.resolve(),
  catchUp: () => Promise.resolve(),
  report: () => Promise.resolve(undefined),
  trigger: () => Promise.resolve(),
};

function recordingPartners(rung: string[]): PartnerBell {
  return {
    wake: (partnerId) => {
      rung.push(partnerId);
      return Promise.resolve();
    },
  };
}

function recordingIngestions(started: string[]): Ingestions {
  return {
    start: (fileId) => {
      started.push(fileId);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    isRunning: () => Promise.resolve(false),
  };
}

function recordingBell(rung: string[]): Bell {
  return {
    ring: ({ threadId }) => {
      rung.push(threadId);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    reply: () => Promise.resolve(),
    talk: (groupId) => {
      rung.push(groupId);
      return Promise.resolve();
    },
    isAwake: () => Promise.resolve(false),
    awake: () => Promise.resolve(new Set()),
  };
}
