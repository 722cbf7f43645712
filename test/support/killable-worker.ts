import { writeSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type pg from 'pg';
import type { Activities } from '../../activities/index.js';
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
import { type Db, openDatabase } from '../../schema/db/database.js';
import { openVectors } from '../../schema/archives/open-vectors.js';
import { createWorker } from '../../worker/create-worker.js';
import { watchDeaths } from '../../worker/deaths.js';
import { openPresence } from '../../worker/presence.js';
import { watchWorker } from '../../worker/standstill.js';
import { testVault } from './vault.js';

/**
 * A worker process that freezes at a chosen point, tells its parent, and waits to be killed. Points:
 * `before:<activity>:<n>` and `after:<activity>:<n>`: at the n-th call of an activity (after: it has done its work,
 * and Temporal was not told); `sql:<n>:<text>`: the n-th statement that contains the text was executed;
 * `for:<activity>:<agent>`: at each call of the activity for the agent while a turn of it runs;
 * `within:<activity>:<text>`: the first such one since a call of the activity began. It is not committed where it is
 * within a transaction, unless it travels with the commit: nobody was told of that then.
 */
const point = process.env['FREEZE_AT'] ?? '';
const [kind = '', ...rest] = point.split(':');

function freeze(): never {
  // Written synchronously, because nothing of this process runs after it.
  writeSync(1, `frozen at ${point}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
}

/** Whether a call has begun of the activity within which a statement is meant. */
let isWithin = false;

function freezing(activities: Activities, db: Db): Activities {
  if (kind === 'sql' || kind === '') return activities;
  const [name = '', nth = '1'] = rest;
  const isFor = async (input: { readonly agentId?: string }): Promise<boolean> =>
    kind === 'for' && input.agentId === nth && (await runs(db, nth));
  const original = activities[name as keyof Activities] as (input: never) => Promise<unknown>;
  let calls = 0;
  return {
    ...activities,
    [name]: async (input: never) => {
      calls += 1;
      isWithin = kind === 'within';
      if (await isFor(input)) freeze();
      const isDue = calls === Number(nth);
      if (isDue && kind === 'before') freeze();
      const result = await original(input);
      if (isDue && kind === 'after') freeze();
      return result;
    },
  };
}

/** Whether a turn of the agent is running: whatever is done for one that has ended is turned away first. */
async function runs(db: Db, agentId: string): Promise<boolean> {
  const turns = db.selectFrom('turns').select('id').where('agent_id', '=', agentId);
  return (await turns.where('state', '=', 'running').executeTakeFirst()) !== undefined;
}

/** Freezes when a statement has been executed, whatever was sent with it: its transaction is not yet committed. */
function observe(pool: pg.Pool): void {
  if (kind !== 'sql' && kind !== 'within') return;
  const nth = kind === 'sql' ? Number(rest[0]) : 1;
  const text = rest.slice(1).join(':');
  let seen = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: unknown) => Promise<unknown>;
    Object.assign(client, {
      query: async (statement: string | { readonly text: string }) => {
        const result = await query(statement);
        const isMeant = (typeof statement === 'string' ? statement : statement.text).includes(text);
        if (isMeant && (kind === 'sql' || isWithin)) seen += 1;
        if (isMeant && seen === nth) freeze();
        return result;
      },
    });
  });
}

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const env = process.env as Record<string, string>;
  const { pool, db } = openDatabase(env['DATABASE_URL']!, { connections: 10 });
  observe(pool);
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
      models: createModels({ openai: { baseUrl: env['OPENAI_BASE_URL']! } }),
      embeddings: createEmbeddings({}),
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
      modelTimeoutMs: Number(env['MODEL_TIMEOUT_MS'] ?? 60_000),
      toolTimeoutMs: 60_000,
    },
    wrap: (activities) => freezing(activities, db),
  });
  const running = worker.run();
  writeSync(1, 'ready\n');
  await running;
}

await main();
