import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Connection } from '@temporalio/client';
import { identifyProcess, isSameProcess } from '../adapters/settings/process-identity.js';
import { readSince } from './logs.js';
import { findFreePort, isListening, waitForPort } from './ports.js';
import { showProgress, type OnProgress } from './progress.js';
import { finishTemporalFile, prepareTemporalFile } from './temporal-file.js';
import {
  endProcess,
  readTemporalRecord,
  removeTemporalRecord,
  writeTemporalRecord,
  type TemporalRecord,
} from './temporal-record.js';
import { waitFor } from './waiting.js';

/** What to start, and where. */
export interface TemporalOptions {
  /** The path of the Temporal CLI, from `findTemporalBinary`. */
  readonly binary: string;
  readonly namespace: string;
  /** The database file. Without it everything is in memory and there is no UI, for tests. */
  readonly dbFile?: string | undefined;
  /** The log file of the server's output; default: none. */
  readonly logFile?: string | undefined;
  /** The port that it must have; default: that of the last start, else any free one. */
  readonly port?: number;
  /** How long, in ms, a server of an earlier start may take to answer before it counts as hung. */
  readonly patienceMs?: number;
  readonly onProgress: OnProgress;
  /** Dynamic settings in addition to ours, as `name=value`. */
  readonly tuning?: readonly string[];
}

/** A Temporal server that answers for the namespace. */
export interface RunningTemporal {
  /** host:port */
  readonly address: string;
  readonly port: number;
  /** The URL of the UI itself, which checks nothing; see `startUiProxy`. */
  readonly uiUrl?: string;
  readonly pid: number;
  /** Of the process: see `identifyProcess`. */
  readonly identity: string;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
}

/** The search attributes of perdure's executions, with their types. */
const searchAttributes = { PerdureAgent: 'Keyword', PerdureTurn: 'Keyword' } as const;

/**
 * By default the server polls its tasks and timers 20 times a second, so each hand-over waits up to 50 ms, and an immediate
 * retry up to half a second where there are many timers. It also ignores workers' requests to start activities eagerly.
 */
export const embeddedTuning = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'system.enableActivityEagerExecution=true',
];
/** Closes the server's HTTP API, which we don't use and any page could call: only an impossible host name is allowed. */
const closed = ['frontend.httpAllowedHosts=["nobody.invalid"]'];
/** With a write-ahead log a commit costs a third, and a killed server loses nothing. */
const pragmas = ['journal_mode=wal', 'synchronous=normal'];

const host = '127.0.0.1';
const usualPort = 7233;
const readyPatienceMs = 60_000;
const usualPatienceMs = 5_000;
const attempts = 3;
const stopGraceMs = 10_000;
const hungGraceMs = 2_000;

/**
 * Starts a tuned Temporal dev server with perdure's search attributes. If a server still runs on the database file, because
 * its owner was killed, it is taken over; a second one would damage the file. Ports stay the same for the same file.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { onProgress, dbFile } = options;
  const recordFile = dbFile === undefined ? undefined : `${dbFile}.server.json`;
  const last = recordFile === undefined ? undefined : readTemporalRecord(recordFile);
  const server = await showProgress(
    onProgress,
    'Waiting for Temporal',
    takeOver(last, options).then((running) => running ?? launch(options, last, recordFile)),
  );
  if (dbFile !== undefined) finishTemporalFile(dbFile);
  const { pid, identity, port, uiPort, uiHost } = server;
  return {
    address: `${host}:${port}`,
    port,
    ...(dbFile === undefined ? {} : { uiUrl: `http://${uiHost}:${uiPort}` }),
    pid,
    identity,
    stop: () => endProcess(server, { graceMs: stopGraceMs }),
  };
}

type Ports = Pick<TemporalRecord, 'port' | 'uiPort' | 'uiHost'>;

async function takeOver(
  last: TemporalRecord | undefined,
  options: TemporalOptions,
): Promise<TemporalRecord | undefined> {
  if (last === undefined || !isSameProcess(last.pid, last.identity)) return undefined;
  const answer = await waitFor(() => isReady(last.port, options.namespace), {
    timeoutMs: options.patienceMs ?? usualPatienceMs,
    everyMs: 200,
  });
  if (answer === true) return last;
  options.onProgress(
    `A Temporal server of an earlier start (process ${last.pid}) does not answer: ending it`,
  );
  await endProcess(last, { graceMs: hungGraceMs });
  return undefined;
}

async function launch(
  options: TemporalOptions,
  last: TemporalRecord | undefined,
  recordFile: string | undefined,
): Promise<TemporalRecord> {
  let said = '';
  // Between finding a port free and listening on it another program may take it.
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const ports = await choosePorts(options, last);
    const outcome =
      ports === undefined
        ? { said: `Another program has port ${String(options.port)}.` }
        : await launchOnce(options, ports, recordFile);
    if (!('said' in outcome)) return outcome;
    said = outcome.said;
  }
  throw new Error(`Temporal (${options.binary}) does not start${said === '' ? '.' : `. It said:\n${said}`}`);
}

/** Undefined while another program has the required port. */
async function choosePorts(
  { dbFile, port: wanted }: TemporalOptions,
  last: TemporalRecord | undefined,
): Promise<Ports | undefined> {
  if (wanted !== undefined && (await waitForPort(wanted)) === undefined) return undefined;
  if (dbFile === undefined) return { port: wanted ?? (await findFreePort()), uiPort: 0, uiHost: host };
  const port = wanted ?? (await findFreePort(await waitForPort(last?.port), usualPort));
  const uiPort = await findFreePort(await waitForPort(last?.uiPort));
  return { port, uiPort, uiHost: last?.uiHost ?? hiddenHost() };
}

/** A loopback address that no page can guess, on systems with more than one. */
function hiddenHost(): string {
  return process.platform === 'linux' ? ['127', ...randomBytes(3)].join('.') : host;
}

async function launchOnce(
  options: TemporalOptions,
  ports: Ports,
  recordFile: string | undefined,
): Promise<TemporalRecord | { said: string }> {
  const { child, readLog } = spawnServer(options, ports);
  const ended = { is: false, error: undefined as Error | undefined };
  child.once('exit', () => (ended.is = true));
  child.once('error', (error) => Object.assign(ended, { is: true, error }));
  const pid = child.pid;
  const identity = pid === undefined ? undefined : identifyProcess(pid);
  if (pid === undefined || identity === undefined) {
    await new Promise(setImmediate);
    return { said: ended.error?.message ?? readLog() };
  }
  const record: TemporalRecord = { pid, identity, ...ports };
  // Recorded before it is ready: if we are killed meanwhile, the next start must find it.
  if (recordFile !== undefined) {
    try {
      writeTemporalRecord(recordFile, record);
    } catch (error) {
      // On a full disk: without a record, no later start would find the server that holds the port and the file.
      await endProcess(record, { graceMs: stopGraceMs });
      throw error;
    }
  }
  const ready = await waitFor(async () => (ended.is ? false : isReady(ports.port, options.namespace)), {
    timeoutMs: readyPatienceMs,
  });
  if (ready === true) return record;
  await endProcess(record, { graceMs: stopGraceMs });
  if (recordFile !== undefined) removeTemporalRecord(recordFile);
  return { said: readLog() };
}

function spawnServer(options: TemporalOptions, ports: Ports): { child: ChildProcess; readLog: () => string } {
  const { logFile } = options;
  const logged = logFile === undefined ? 0 : (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0);
  if (logFile !== undefined) mkdirSync(dirname(logFile), { recursive: true });
  if (options.dbFile !== undefined) prepareTemporalFile(options.dbFile);
  const output = logFile === undefined ? 'ignore' : openSync(logFile, 'a', 0o600);
  const child = spawn(options.binary, serverArguments(options, ports), {
    stdio: ['ignore', output, output],
    // In a process group of its own: Ctrl-C in the terminal must reach only the stack, which stops the parts in order.
    detached: true,
  });
  if (typeof output === 'number') closeSync(output);
  const readLog = (): string => (logFile === undefined ? '' : readSince(logFile, logged).slice(-4_000));
  return { child, readLog };
}

function serverArguments(options: TemporalOptions, ports: Ports): string[] {
  const stored = options.dbFile !== undefined;
  return [
    ...['server', 'start-dev', '--ip', host, '--port', String(ports.port), '--log-level', 'error'],
    ...(options.namespace === 'default' ? [] : ['--namespace', options.namespace]),
    ...(options.dbFile === undefined ? ['--headless'] : ['--db-filename', options.dbFile]),
    ...(stored
      ? [
          '--ui-ip',
          ports.uiHost,
          '--ui-port',
          String(ports.uiPort),
          ...pragmas.flatMap((one) => ['--sqlite-pragma', one]),
        ]
      : []),
    ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...[...embeddedTuning, ...closed, ...(options.tuning ?? [])].flatMap((value) => [
      '--dynamic-config-value',
      value,
    ]),
  ];
}

/** True when the namespace exists and its search attributes can be used; else undefined. */
async function isReady(port: number, namespace: string): Promise<true | undefined> {
  // gRPC repeats a refused connection only after a second, in the whole process; so the port is probed first.
  if (!(await isListening(port))) return undefined;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address: `${host}:${port}`, connectTimeout: 2_000 });
    await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return Object.keys(searchAttributes).every((name) => name in customAttributes) || undefined;
  } catch {
    return undefined;
  } finally {
    await connection?.close();
  }
}
