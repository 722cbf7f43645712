import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { identifyProcess, isSameProcess } from '../adapters/settings/process-identity.js';
import { readSince } from './logs.js';
import { findFreePort, keepPort, readKeptPort, waitForPort } from './ports.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import {
  cheapHashes,
  clusterFiles,
  clusterName,
  prepareCluster,
  programsRole,
  spawnAsDatabaseUser,
  type ClusterFiles,
} from './postgres-cluster.js';
import { prepareDatabase, withClient } from './postgres-database.js';
import { findPostmaster, type Postmaster } from './postmaster.js';
import { showProgress, type OnProgress } from './progress.js';
import { waitFor } from './waiting.js';

/** What to start, and where. */
export interface PostgresOptions {
  /** Holds the cluster, its password, its port and its log; made when it is missing. */
  readonly dataDir: string;
  /** The directory above `bin/postgres`; default: that of the npm package. */
  readonly binariesDir?: string;
  /** False only for tests: what is committed then does not survive a crash of the machine. */
  readonly durable?: boolean;
  /** Where pgvector lies (`extension/` and `lib/`), as `findVectorLibrary` gives it. */
  readonly vectorDir?: string | undefined;
  /** The port that it must have; default: that of the last start, else any free one. */
  readonly port?: number;
  /** How long, in ms, a start is repeated: after a kill -9 the old server's remains prevent a new one for a moment. */
  readonly patienceMs?: number;
  readonly onProgress: OnProgress;
}

/** A PostgreSQL server that answers. */
export interface RunningPostgres {
  /** The database as worker and server use it: with a role that owns it, and is no superuser. */
  readonly url: string;
  /** The same database with the superuser. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Of the process: see `identifyProcess`. */
  readonly identity: string;
  /** True when the server can make the extension `vector`. */
  readonly vector: boolean;
  /** Ends all sessions and the server; resolves when its process is gone. */
  stop(): Promise<void>;
}

const usualPatienceMs = 10_000;
/** How long a server may replay its log after a crash, while its process lives. */
const recoveryPatienceMs = 120_000;
const stopPatienceMs = 20_000;

/**
 * Starts PostgreSQL on the data directory, or takes over the server that already runs on it because its owner was
 * killed. It listens on the loopback address only and needs the password that is in the URL. Throws with the server's
 * output when it does not start, for example because another program has its port.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { onProgress } = options;
  const binaries = options.binariesDir ?? findPostgresBinaries(onProgress);
  const files = clusterFiles(options.dataDir);
  const durable = options.durable ?? true;
  const preparing = prepareCluster({ files, binaries, durable });
  const passwords = await showProgress(onProgress, 'Making the database cluster', preparing);
  const password = passwords.admin;
  const launch = (vectorDir: string | undefined): Promise<Postmaster> =>
    showProgress(
      onProgress,
      'Waiting for PostgreSQL',
      findOrLaunch({
        files,
        binaries,
        password,
        port: options.port,
        patienceMs: options.patienceMs ?? usualPatienceMs,
        args: serverArguments({ files, durable, vectorDir }),
      }),
    );
  let server = await launch(options.vectorDir);
  let vector = await canMakeVector(urlOf(server.port, password, 'postgres'));
  if (!vector && options.vectorDir !== undefined) {
    onProgress(
      `The vector library in ${options.vectorDir} does not load into this PostgreSQL; it is not used`,
    );
    await stopServer(server);
    server = await launch(undefined);
    vector = await canMakeVector(urlOf(server.port, password, 'postgres'));
  }
  const { pid, identity, port } = server;
  const adminUrl = (database: string): string => urlOf(port, password, database);
  await prepareDatabase({ adminUrl, password: passwords.programs, vector });
  return {
    url: urlOf(port, passwords.programs, clusterName, programsRole),
    adminUrl: adminUrl(clusterName),
    port,
    pid,
    identity,
    vector,
    stop: () => stopServer({ pid, identity, port }),
  };
}

function urlOf(port: number, password: string, database: string, user = clusterName): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

function serverArguments(options: {
  files: ClusterFiles;
  durable: boolean;
  vectorDir: string | undefined;
}): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // An index over vectors is built in memory or not at all in reasonable time.
    maintenance_work_mem: '256MB',
    ...cheapHashes,
  };
  if (!options.durable)
    Object.assign(settings, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
  if (options.vectorDir !== undefined) {
    settings['extension_control_path'] = `$system:${options.vectorDir}`;
    settings['dynamic_library_path'] = `$libdir:${join(options.vectorDir, 'lib')}`;
  }
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', options.files.cluster, ...set];
}

interface Launch {
  readonly files: ClusterFiles;
  readonly binaries: string;
  readonly password: string;
  /** Undefined: any. */
  readonly port: number | undefined;
  readonly patienceMs: number;
  readonly args: readonly string[];
}

async function findOrLaunch(launch: Launch): Promise<Postmaster> {
  const running = await takeOver(launch);
  if (running !== undefined) return running;
  let said = '';
  const server = await waitFor(
    async () => {
      const attempt = await launchOnce(launch);
      if ('said' in attempt) said = attempt.said;
      return 'said' in attempt ? undefined : attempt;
    },
    { timeoutMs: launch.patienceMs, everyMs: 250 },
  );
  if (server === undefined)
    throw new Error(`PostgreSQL does not start on ${launch.files.cluster}. It said:\n${said}`);
  return server;
}

/**
 * The server that already runs on the cluster, once it answers. A starting server is waited for: it may have a long log
 * to replay, and a second one can't start beside it. Undefined where there is none, it ends, or it refuses us.
 */
async function takeOver({ files, password }: Launch): Promise<Postmaster | undefined> {
  const running = findPostmaster(files.cluster);
  if (running === undefined) return undefined;
  const url = urlOf(running.port, password, 'postgres');
  const answer = await waitFor(
    async () => {
      const now = await tryToAnswer(url);
      return now === 'starting' && isSameProcess(running.pid, running.identity) ? undefined : now;
    },
    { timeoutMs: recoveryPatienceMs, everyMs: 250 },
  );
  return answer === 'yes' ? running : undefined;
}

/** One attempt; `said` is what the server wrote when it ended instead of answering. */
async function launchOnce(launch: Launch): Promise<Postmaster | { said: string }> {
  const { files, binaries, password, args } = launch;
  const port = await choosePort(launch);
  if (port === undefined) return { said: `Another program has port ${String(launch.port)}.` };
  keepPort(files.port, port);
  const logged = statSync(files.log, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(files.log, 'a', 0o600);
  const child = spawn(join(binaries, 'bin', 'postgres'), [...args, '-p', String(port)], {
    ...spawnAsDatabaseUser(files.directory),
    stdio: ['ignore', log, log],
    // In a process group of its own: Ctrl-C in the terminal must reach only the stack, which stops the parts in order.
    detached: true,
  });
  closeSync(log);
  const ended = endOf(child);
  const url = urlOf(port, password, 'postgres');
  const ready = await waitFor(async () => (ended.is ? false : (await answers(url)) || undefined), {
    timeoutMs: recoveryPatienceMs,
  });
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (ready === true && child.pid !== undefined && identity !== undefined)
    return { pid: child.pid, identity, port };
  child.kill('SIGKILL');
  return { said: ended.error?.message ?? readSince(files.log, logged) };
}

/** Undefined while another program has the required port. */
async function choosePort({ files, port }: Launch): Promise<number | undefined> {
  if (port !== undefined) return waitForPort(port);
  return findFreePort(await waitForPort(readKeptPort(files.port)));
}

function endOf(child: ChildProcess): { is: boolean; error?: Error } {
  const end: { is: boolean; error?: Error } = { is: false };
  child.once('exit', () => {
    end.is = true;
  });
  child.once('error', (error) => {
    end.is = true;
    end.error = error;
  });
  return end;
}

async function stopServer({ pid, identity }: Postmaster): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isSameProcess(pid, identity)) return;
    process.kill(pid, signal);
    const gone = () => !isSameProcess(pid, identity) || undefined;
    if ((await waitFor(gone, { timeoutMs: stopPatienceMs })) === true) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop.`);
}

async function answers(url: string): Promise<boolean> {
  return (await tryToAnswer(url)) === 'yes';
}

/** SQLSTATE of a server that is starting up or shutting down. */
const cannotConnectNow = '57P03';

/** `starting`: nobody listens yet, or the server says that it is not ready. `no`: it listens, and refuses. */
async function tryToAnswer(url: string): Promise<'yes' | 'starting' | 'no'> {
  try {
    await withClient(url, (client) => client.query('select 1'));
    return 'yes';
  } catch (error) {
    const isRefusal = error instanceof pg.DatabaseError && error.code !== cannotConnectNow;
    return isRefusal ? 'no' : 'starting';
  }
}

/** Loads the library: one of another build is listed too, and only fails when it is loaded. */
async function canMakeVector(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const listed = await client.query(`select 1 from pg_available_extensions where name = 'vector'`);
    if (listed.rowCount === 0) return false;
    await client.query(`load 'vector'`);
    return true;
  }).catch(() => false);
}
