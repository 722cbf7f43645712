import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readSettings } from '../adapters/settings/settings.js';
import { type Database, openDatabase } from '../schema/db/database.js';
import { stopOnSignals } from '../stack/signals.js';
import { type Stack, startStack } from '../stack/stack.js';
import { type Child, startChild } from './child.js';
import { print } from './figures.js';

/** The embedded stack as `npm start` runs it, a scripted model, and a worker for the controls. */
export interface BenchStack {
  readonly stack: Stack;
  readonly model: Child<{ readonly baseUrl: string }>;
  readonly temporal: Client;
  readonly database: Database;
  /** The environment of worker and server. */
  readonly env: NodeJS.ProcessEnv;
  /** The task queue of `control/`. */
  readonly controlQueue: string;
  /** The processes whose CPU time counts, by name. */
  pids(): Readonly<Record<string, number>>;
}

const controlQueue = 'bench-control';

/** Runs `work` with a stack on a new data directory and a scripted model. Stops both and deletes the directory afterwards. */
export async function withStack<T>(
  work: (bench: BenchStack) => Promise<T>,
  modelProgram = 'instant-model.ts',
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'perdure-bench-'));
  const signals = stopOnSignals(print);
  const model = await startChild<{ baseUrl: string }>(modelProgram);
  const env = { ...process.env, ...cleared, PERDURE_HOME: home, OPENAI_BASE_URL: model.ready.baseUrl };
  const stack = await startStack(readSettings(env), {
    env,
    onProgress: () => undefined,
    signal: signals.signal,
  });
  signals.hold(stack);
  const control = await startChild('control/worker.ts', [
    ...[stack.temporalAddress, controlQueue, stack.databaseUrl, model.ready.baseUrl],
  ]);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const database = openDatabase(stack.databaseUrl);
  const pids = (): Record<string, number> => ({
    server: stack.server.pid ?? 0,
    worker: stack.worker.pid ?? 0,
    Temporal: readTemporalPid(home),
    PostgreSQL: Number(
      readFileSync(join(home, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    ),
    "control's worker": control.process.pid ?? 0,
    model: model.process.pid ?? 0,
  });
  try {
    return await work({
      stack,
      model,
      temporal: new Client({ connection }),
      database,
      env,
      controlQueue,
      pids,
    });
  } finally {
    await database.close();
    await connection.close();
    await control.stop();
    await stack.stop();
    await model.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The user's own settings must not change the stack that is measured. */
const cleared: NodeJS.ProcessEnv = {
  PORT: '0',
  HOST: '',
  DATABASE_URL: '',
  TEMPORAL_ADDRESS: '',
  LETTA_SERVER_PASSWORD: '',
  OPENAI_API_KEY: 'none',
  LOG_LEVEL: 'warn',
};

function readTemporalPid(home: string): number {
  const record = readFileSync(join(home, 'temporal', 'temporal.db.server.json'), 'utf8');
  return (JSON.parse(record) as { pid: number }).pid;
}
