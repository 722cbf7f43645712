import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { variables } from '../../adapters/settings/variables.js';
import { endOf, spawnProgram } from '../../stack/processes.js';
import { type ModelServer, type Policy, startModelServer } from './model-server.js';
import { createTestDatabase } from './runtime/postgres.js';
import { testTemporal } from './runtime/temporal.js';
import { type SearchServer, startSearchServer } from './search-server.js';
import { makeTemporaryDirectory } from './runtime/temporary.js';
import { compiledProgram, readTestState } from './run/test-state.js';
import { aSecretKey } from './runtime/vault.js';

/** A server or a worker, as `npm run server` and `npm run worker` start it. */
export interface StackPart {
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /** What it wrote since it was started, the last 4,000 characters. */
  readonly log: () => string;
  /** Ends it in order (SIGTERM) and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it at once (SIGKILL) and waits until it is gone. */
  kill(): Promise<void>;
}

/** A server with the URL that clients are given. */
export interface StackServer extends StackPart {
  readonly url: string;
}

/** Server and worker as processes of their own, on the run's PostgreSQL and Temporal, with a scripted model. */
export interface TestStack {
  /** Of the first server, without a slash at the end. */
  readonly url: string;
  readonly server: StackServer;
  /** The one that was started last. */
  readonly worker: StackPart;
  /** Behind OPENAI_BASE_URL: every handle `openai/…` is answered by its policy. */
  readonly model: ModelServer;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  /** One more on the same rows and task queue. */
  startServer(env?: Readonly<Record<string, string>>): Promise<StackServer>;
  startWorker(env?: Readonly<Record<string, string>>): Promise<StackPart>;
  close(): Promise<void>;
}

/** Beside the policies of their models, what the files that share a stack need of it. */
const settingsOfAll = {
  PERDURE_MCP_COMMANDS: 'true',
  TEMPORAL_UI_URL: 'http://localhost:8233',
  PERDURE_PRICES: JSON.stringify({ 'openai/scripted': { input: 1_000, cached_input: 0, output: 1_000 } }),
};

/** With a search of the web, which finds what a file gives it. */
export interface SharedStack extends TestStack {
  readonly web: SearchServer;
}

let shared: Promise<SharedStack & Tidied> | undefined;

/**
 * The stack of all test files of this process that need nothing of their own but a model: their agents lie side by side in
 * its database. `close` ends what a file started beside it; the stack itself ends with the process.
 */
export async function shareTestStack(policy: Policy): Promise<SharedStack> {
  shared ??= startShared(policy);
  const stack = await shared;
  stack.model.begin(policy);
  return Object.create(stack, { close: { value: () => stack.tidy() } }) as SharedStack;
}

async function startShared(policy: Policy): Promise<SharedStack & Tidied> {
  const web = await startSearchServer();
  return Object.assign(await start(policy, { ...settingsOfAll, SEARXNG_URL: web.url }), { web });
}

interface Tidied {
  /** Leaves its first server and one worker. */
  tidy(): Promise<void>;
}

/** Starts one with a database and a task queue of its own. `env` goes to all its processes. */
export function startTestStack(
  policy: Policy,
  env: Readonly<Record<string, string>> = {},
): Promise<TestStack> {
  return start(policy, env);
}

async function start(policy: Policy, env: Readonly<Record<string, string>>): Promise<TestStack & Tidied> {
  const [database, model] = await Promise.all([createTestDatabase(), startModelServer(policy)]);
  const directory = makeTemporaryDirectory('stack');
  const taskQueue = `test-${randomUUID()}`;
  const servers: StackServer[] = [];
  const workers: StackPart[] = [];
  const settings = {
    ...environment(directory),
    DATABASE_URL: database.url,
    PERDURE_SECRET_KEY: aSecretKey('test').bytes.toString('hex'),
    PERDURE_TASK_QUEUE: taskQueue,
    OPENAI_BASE_URL: model.baseUrl,
    ...env,
  };
  const startServer: TestStack['startServer'] = async (own = {}) => {
    const started = await startPart('server', directory, { ...settings, ...own });
    const server = { ...started, url: started.ready.address ?? '' };
    servers.push(server);
    return server;
  };
  const startWorker: TestStack['startWorker'] = async (own = {}) => {
    const started = await startPart('worker', directory, { ...settings, ...own });
    workers.push(started);
    return started;
  };
  const close = async (): Promise<void> => {
    // Killed: it has a database of its own, which is dropped.
    await Promise.all([...servers, ...workers].map((part) => part.kill()));
    await model.close();
    await database.drop();
  };
  const started = await Promise.allSettled([startServer(), startWorker()]);
  const [server, worker] = started;
  if (server.status === 'rejected' || worker.status === 'rejected') {
    await close();
    throw server.status === 'rejected' ? server.reason : (worker as PromiseRejectedResult).reason;
  }
  return {
    url: server.value.url,
    server: server.value,
    get worker() {
      return workers.at(-1)!;
    },
    model,
    databaseUrl: database.url,
    taskQueue,
    startServer,
    startWorker,
    close,
    async tidy() {
      if (workers.at(-1)?.hasEnded() === true) await startWorker();
      const others = [...servers.splice(1), ...workers.splice(0, workers.length - 1)];
      await Promise.all(others.map((part) => part.kill()));
    },
  };
}

/** Variables that are set to nothing count as not set, whatever `.env` or the developer's shell sets them to. */
function environment(directory: string): NodeJS.ProcessEnv {
  const { address, namespace } = testTemporal();
  return {
    ...process.env,
    ...Object.fromEntries(Object.keys(variables.shape).map((name) => [name, ''])),
    NODE_OPTIONS: '',
    PERDURE_HOME: directory,
    PORT: '0',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_CLI: readTestState().temporal.binary,
    LOG_LEVEL: 'warn',
  };
}

interface Ready {
  readonly ready: true;
  readonly address?: string;
}

async function startPart(
  name: 'server' | 'worker',
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<StackPart & { ready: Ready }> {
  const logFile = `${directory}/${name}-${randomUUID()}.log`;
  const { child, readLog } = spawnProgram({ name, entry: compiledProgram(name), env, logFile });
  const end = endOf(child);
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Ready),
    end.then((code) => {
      throw new Error(`The ${name} does not start (${String(code)}):\n${readLog()}`);
    }),
  ]);
  // A test that fails may leave it: then jest must be able to end, and its end ends the process.
  child.unref();
  child.channel?.unref();
  const endBy = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await end;
  };
  return {
    pid: child.pid ?? 0,
    ready,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    log: readLog,
    stop: () => endBy('SIGTERM'),
    kill: () => endBy('SIGKILL'),
  };
}
