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
import { loadWorkflowBundle } from './runtime/temporal.js';
import { testVault } from './runtime/vault.js';
import { unhookPromises } from './runtime/workflow-hooks.js';

/**
 * A worker process that freezes at a chosen point, tells its parent, and waits to be killed. Points:
 * `before:<activity>:<n>` and `after:<activity>:<n>`: at the n-th call of an activity (after: it has done its work,
 * and Temporal was not told); `sql:<n>:<text>`: the n-th statement that contains the text was executed;
 * `for:<activity>:<agent>`: at each call of the activity for the agent while a turn of it runs;
 * `within:<activity>:<text>`: the first such one since a call of the activity began. It is not committed where it is
 * within a transaction, unless it travels with the commit: nobody was told of that then.
 * The point is FREEZE_AT, until a message names another one: calls and statements count from there.
 */
interface Point {
  readonly text: string;
  readonly kind: string;
  readonly rest: readonly string[];
  /** Calls of its activity, or statements with its text. */
  seen: number;
  /** Whether a call has begun of the activity within which a statement is meant. */
  isWithin: boolean;
}

const toPoint = (text: string): Point => {
  const [kind = '', ...rest] = text.split(':');
  return { text, kind, rest, seen: 0, isWithin: false };
};

let point = toPoint(process.env['FREEZE_AT'] ?? '');

process.on('message', (text: string) => {
  point = toPoint(text);
  writeSync(1, `armed ${text}\n`);
});

function freeze(): never {
  // Written synchronously, because nothing of this process runs after it.
  writeSync(1, `frozen at ${point.text}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
}

function freezing(activities: Activities, db: Db): Activities {
  const wrapped = Object.entries(activities).map(([name, activity]) => {
    const original = activity as (input: never) => Promise<unknown>;
    return [
      name,
      async (input: { readonly agentId?: string }) => {
        const meant = point;
        const { kind, rest } = meant;
        if (kind === 'sql' || rest[0] !== name) return original(input as never);
        meant.seen += kind === 'within' ? 0 : 1;
        meant.isWithin = kind === 'within';
        const [, which = '1'] = rest;
        if (kind === 'for' && input.agentId === which && (await runs(db, which))) freeze();
        const isDue = meant.seen === Number(which);
        if (isDue && kind === 'before') freeze();
        const result = await original(input as never);
        if (isDue && kind === 'after' && meant === point) freeze();
        return result;
      },
    ];
  });
  return Object.fromEntries(wrapped) as Activities;
}

/** Whether a turn of the agent is running: whatever is done for one that has ended is turned away first. */
async function runs(db: Db, agentId: string): Promise<boolean> {
  const turns = db.selectFrom('turns').select('id').where('agent_id', '=', agentId);
  return (await turns.where('state', '=', 'running').executeTakeFirst()) !== undefined;
}

/** Freezes when a statement has been executed, whatever was sent with it: its transaction is not yet committed. */
function observe(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parts: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: (statement: string | { readonly text: string }, ...others: unknown[]) => {
        const { kind, isWithin } = point;
        const isWatched = kind === 'sql' || (kind === 'within' && isWithin);
        const executed = query(statement, ...others);
        return isWatched && others.length === 0 ? freezeAfter(statement, executed, point) : executed;
      },
    });
  });
}

async function freezeAfter(
  statement: string | { readonly text: string },
  executed: Promise<unknown>,
  meant: Point,
): Promise<unknown> {
  const result = await executed;
  const text = meant.rest.slice(1).join(':');
  if (!(typeof statement === 'string' ? statement : statement.text).includes(text)) return result;
  meant.seen += 1;
  if (meant === point && meant.seen === (meant.kind === 'sql' ? Number(meant.rest[0]) : 1)) freeze();
  return result;
}

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const env = process.env as Record<string, string>;
  const { pool, db } = openDatabase(env['DATABASE_URL']!, { connections: 10 });
  observe(pool);
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
      toolTimeoutMs: 60_000,
    },
    bundle: loadWorkflowBundle(),
    wrap: (activities) => freezing(activities, db),
    inThisThread: true,
  });
  unhookPromises();
  const running = worker.run();
  writeSync(1, 'ready\n');
  await running;
}

await main();
