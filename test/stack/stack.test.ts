import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readStackFile, type StackFile } from '../../adapters/settings/endpoints.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { waitFor } from '../../stack/waiting.js';
import { listeningPorts, statusOf } from '../support/listeners.js';
import { backendPids, programPids, spawnStack, type StackProcess } from '../support/stack-process.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const newHome = (): string => join(makeTemporaryDirectory('stack'), 'home');

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function makeAgent(api: string, fields: object): Promise<string> {
  const body = JSON.stringify({ model: 'perdure/demo', ...fields });
  const answer = await fetch(`${api}/v1/agents/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await answer.json()) as { id: string }).id;
}

const areGone = (pids: readonly number[]) =>
  pids.every((pid) => identifyProcess(pid) === undefined) || undefined;
const healthOf = async (api: string) => (await fetch(`${api}/v1/health/`)).status;

const untilGone = (pids: readonly number[]) =>
  waitFor(() => areGone(pids), { timeoutMs: 90_000, everyMs: 100 });

// In this order: each test goes on where the one before it ended, because a start takes seconds.
describe('npm start', () => {
  const home = newHome();
  let stack: StackProcess;
  let first: StackFile;
  /** Of a stack that was killed: they end a while after it. */
  let orphans: readonly number[] = [];

  const allPids = () => [
    ...backendPids(home),
    ...programPids(home, 'worker'),
    ...programPids(home, 'server'),
  ];
  const start = async (by: 'node' | 'npm' = 'node'): Promise<StackFile> => {
    stack = await spawnStack(home, {}, by);
    return stack.up();
  };

  afterAll(() => stack.interrupt());

  it('[stack.up] brings up all and says where it is', async () => {
    first = await start('npm');

    for (const line of [
      `API          ${first.api}\n`,
      `API docs     ${first.api}/docs\n`,
      `Temporal UI  ${first.temporalUi ?? ''}\n`,
      `Data         ${home}\n`,
    ]) {
      expect(stack.output()).toContain(line);
    }
    expect(await healthOf(first.api)).toBe(200);
    expect((await fetch(`${first.api}/docs/`)).status).toBe(200);
    expect(statSync(join(home, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('[wire.browser] has Temporal’s UI for this machine’s browsers alone, its HTTP API for nobody', async () => {
    const temporalUi = first.temporalUi ?? '';
    const [, temporal = 0] = backendPids(home);

    expect(temporalUi).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(temporalUi)).status).toBe(200);
    const namespaces = `${temporalUi}/api/v1/namespaces`;
    expect(await statusOf(namespaces, {})).toBe(200);
    expect(await statusOf(namespaces, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(namespaces, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(namespaces, { origin: 'https://evil.example' })).toBe(403);
    const ports = await listeningPorts(temporal);
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) {
      for (const headers of [{}, { host: 'evil.example' }]) {
        expect(await statusOf(`http://127.0.0.1:${port}/api/v1/namespaces`, headers)).not.toBe(200);
      }
    }
  });

  it('[stack.one-owner] is refused a second time', async () => {
    const second = await spawnStack(home);

    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(
      `A stack already runs on ${home}: process ${first.pid}, its API is ${first.api}`,
    );
    expect(await healthOf(first.api)).toBe(200);
  });

  it('[stack.stop] [stack.data-stays] [secrets.key] stops cleanly where npm is asked to end, and finds all data again', async () => {
    await query(first.databaseUrl, 'create table kept as select 42 as answer');
    const agent = await makeAgent(first.api, { secrets: { KEY: 'plain-secret' } });
    const pids = [first.pid, ...allPids()];
    process.kill(stack.pid, 'SIGTERM');
    expect(pids).toHaveLength(5);
    expect(await untilGone(pids)).toBe(true);
    const files = ['stack.json', 'stack.lock'].map((name) => existsSync(join(home, name)));
    expect(files).toEqual([false, false]);

    const { databaseUrl, temporalAddress } = await start();

    expect(databaseUrl).toBe(first.databaseUrl);
    expect(temporalAddress).toBe(first.temporalAddress);
    expect(await query(databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    const [row] = await query(databaseUrl, `select extras::text as extras from agents where id = '${agent}'`);
    expect(row).toMatchObject({ extras: expect.stringMatching(/"KEY": "sealed\.1\./) });
  });

  it('[stack.after-kill] starts after a kill -9 of everything and of itself alone', async () => {
    await query(first.databaseUrl, 'create table killed as select 43 as answer');
    for (const pid of [stack.pid, ...allPids()]) process.kill(pid, 'SIGKILL');

    const afterAll = await start();
    const backends = backendPids(home);
    process.kill(stack.pid, 'SIGKILL');
    const afterOne = await start();

    expect(await healthOf(afterOne.api)).toBe(200);
    expect(afterAll.databaseUrl).toBe(first.databaseUrl);
    expect(backends).toHaveLength(2);
    expect(backendPids(home)).toEqual(backends);
    expect(await query(afterOne.databaseUrl, 'select answer from killed')).toEqual([{ answer: 43 }]);
  });

  it('[stack.restarts-parts] [stack.ends-with-parent] starts each part again that is killed, and is outlived by none of its programs', async () => {
    const { api, databaseUrl } = readStackFile(home)!;
    const before = allPids();
    for (const pid of before) process.kill(pid, 'SIGKILL');

    const isWhole = async () => {
      const replaced = allPids().filter((pid) => !before.includes(pid));
      const answer = await query(databaseUrl, 'select 1 as one').catch(() => []);
      const health = await healthOf(api).catch(() => 0);
      return (replaced.length === 4 && answer.length === 1 && health === 200) || undefined;
    };
    expect(await waitFor(isWhole, { timeoutMs: 90_000, everyMs: 200 })).toBe(true);
    expect(stack.output()).toMatch(/PostgreSQL ended \(process \d+\): starting it again/);

    orphans = backendPids(home);
    const programs = allPids().filter((pid) => !orphans.includes(pid));
    process.kill(stack.pid, 'SIGKILL');
    expect(programs).toHaveLength(2);
    expect(await untilGone(programs)).toBe(true);
  });

  it('says which port is taken', async () => {
    const home = newHome();
    const thief = createServer().listen(0, '127.0.0.1');
    await once(thief, 'listening');
    const port = String((thief.address() as AddressInfo).port);

    const stack = await spawnStack(home, { PORT: port });
    const end = await stack.ended;
    thief.close();

    expect(end).toBe(1);
    expect(stack.output()).toContain(`PORT is ${port}, but another program listens on it`);
    expect(backendPids(home)).toEqual([]);
    expect(existsSync(join(home, 'postgres'))).toBe(false);
  });

  it('[stack.settings-checked] lists all wrong settings before it starts anything', async () => {
    const home = newHome();
    const stack = await spawnStack(home, { PORT: 'many', DATABASE_URL: 'sqlite://x' });

    expect(await stack.ended).toBe(1);
    expect(stack.output()).toMatch(/PORT is 'many'.*\n.*DATABASE_URL is 'sqlite:\/\/x'/);
    expect(existsSync(home)).toBe(false);
  });

  it('[stack.ends-with-parent] ends its servers, after its programs, where it was killed itself', async () => {
    expect(orphans).toHaveLength(2);
    expect(await untilGone(orphans)).toBe(true);
  });
});
