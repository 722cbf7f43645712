import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stop } from 'esbuild';
import { findVectorLibrary } from '../../../stack/pgvector.js';
import { withClient } from '../../../stack/postgres-database.js';
import { startPostgres, type RunningPostgres } from '../../../stack/postgres.js';
import { findTemporalBinary } from '../../../stack/temporal-binary.js';
import { startTemporal, type RunningTemporal } from '../../../stack/temporal.js';
import { workflowBundle } from '../../../worker/workflow-bundle.js';
import { makeCanary } from '../runtime/canary.js';
import { compileForTests, makeProgramDirectory } from './compiled.js';
import { removeRun, sweepDeadRuns, writeOwner, type ServerProcess } from './leftovers.js';
import { placeInMemory } from './memory-place.js';
import { announceTestState, type TestState } from './test-state.js';

declare global {
  var stopTestServers: (() => Promise<void>) | undefined;
}

const templateName = 'perdure_template';

/**
 * Starts one PostgreSQL and one Temporal for the whole run, makes the template database and bundles the workflows.
 * The tests of the pure core need none of that: when only they are asked for, nothing is started.
 */
export async function startTestServers(run: {
  testPathPatterns: { patterns: readonly string[] };
}): Promise<void> {
  const { patterns } = run.testPathPatterns;
  if (patterns.length > 0 && patterns.every((pattern) => /^(\.\/)?test\/core(\/|$)/.test(pattern))) return;
  const roots = { run: tmpdir(), data: placeInMemory() ?? tmpdir() };
  for (const root of new Set(Object.values(roots))) sweepDeadRuns(root);
  const [directory, dataDirectory] = [roots.run, roots.data].map((root) =>
    join(root, `perdure-test-${process.pid}`),
  ) as [string, string];
  // PostgreSQL's user passes through on its way to its own part.
  for (const one of new Set([directory, dataDirectory])) mkdirSync(one, { mode: 0o711 });
  const servers: ServerProcess[] = [];
  const end = endOnce([directory, dataDirectory], servers);
  try {
    announceTestState(await prepare({ directory, dataDirectory }, servers));
  } catch (error) {
    end();
    throw error;
  }
}

/** Also when jest is interrupted: then no teardown is called, but the process still ends in order. */
function endOnce(directories: readonly string[], servers: readonly ServerProcess[]): () => void {
  const end = (): void => {
    process.removeListener('exit', end);
    for (const directory of directories) removeRun(directory, servers);
  };
  process.once('exit', end);
  globalThis.stopTestServers = () => {
    end();
    return Promise.resolve();
  };
  return end;
}

async function prepare(
  { directory, dataDirectory }: Pick<TestState, 'directory' | 'dataDirectory'>,
  servers: ServerProcess[],
): Promise<string> {
  const own = (): void => {
    for (const one of [directory, dataDirectory]) writeOwner(one, servers);
  };
  const keep = <T extends ServerProcess>(server: T): T => {
    servers.push({ pid: server.pid, identity: server.identity });
    own();
    return server;
  };
  own();
  const bundle = join(directory, 'workflows.js');
  const programs = {
    worker: join(directory, 'programs', 'worker.mjs'),
    server: join(directory, 'programs', 'server.mjs'),
    killableWorker: join(directory, 'programs', 'killable-worker.mjs'),
  };
  const settled = await Promise.allSettled([
    startDatabase(dataDirectory).then(keep),
    startEngine(directory).then(({ server, binary }) => ({ ...keep(server), binary })),
    failureOf(bundleWorkflows(bundle)),
    failureOf(compilePrograms(programs)),
  ]);
  const [database, engine, unbundled, uncompiled] = settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  }) as [RunningPostgres, RunningTemporal & { binary: string }, string | undefined, string | undefined];
  const unmigrated = await failureOf(makeTemplate(database));
  const state: TestState = {
    directory,
    dataDirectory,
    adminUrl: database.adminUrl,
    programsUrl: database.url,
    template: templateName,
    vector: database.vector,
    temporal: { address: engine.address, namespace: 'default', binary: engine.binary },
    bundle,
    programs,
    canary: makeCanary(),
    failures: {
      ...(unmigrated === undefined ? {} : { template: unmigrated }),
      ...(unbundled === undefined ? {} : { bundle: unbundled }),
      ...(uncompiled === undefined ? {} : { programs: uncompiled }),
    },
  };
  const file = join(directory, 'state.json');
  writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
  return file;
}

async function startDatabase(directory: string): Promise<RunningPostgres> {
  const vectorDir = await findVectorLibrary(report);
  return startPostgres({
    dataDir: join(directory, 'postgres'),
    durable: false,
    vectorDir,
    onProgress: report,
  });
}

async function startEngine(directory: string): Promise<{ server: RunningTemporal; binary: string }> {
  const binary = await findTemporalBinary({ cli: process.env['TEMPORAL_CLI'], onProgress: report });
  const logFile = join(directory, 'temporal.log');
  return {
    server: await startTemporal({ binary, namespace: 'default', logFile, onProgress: report }),
    binary,
  };
}

async function makeTemplate({ adminUrl, url, vector }: RunningPostgres): Promise<void> {
  const template = (of: string): string => Object.assign(new URL(of), { pathname: `/${templateName}` }).href;
  const owner = new URL(url).username;
  await withClient(adminUrl, (client) => client.query(`create database ${templateName} owner ${owner}`));
  // As in a stack: the extension is the superuser's to make.
  if (vector) await withClient(template(adminUrl), (client) => client.query('create extension vector'));
  // Here and not above: a schema that does not load must fail its own tests alone.
  const { migrateToLatest } = await import('../../../schema/db/migrate-to-latest.js');
  await migrateToLatest(template(url));
}

/** Takes the bundle that workers keep, or makes it for them. */
async function bundleWorkflows(file: string): Promise<void> {
  const { code } = await workflowBundle();
  writeFileSync(file, code);
}

async function compilePrograms(programs: TestState['programs']): Promise<void> {
  makeProgramDirectory(dirname(programs.worker));
  try {
    await Promise.all([
      compileForTests('worker/main.ts', programs.worker),
      compileForTests('server/main.ts', programs.server),
      compileForTests('test/support/killable-worker.ts', programs.killableWorker),
    ]);
  } finally {
    // The compiler is a process of its own.
    await stop();
  }
}

async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).stack ?? String(error);
  }
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}
