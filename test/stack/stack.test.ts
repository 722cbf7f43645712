import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { waitFor } from '../../stack/waiting.js';
import { backendPids, programPids, spawnStack, type StackProcess } from '../support/stack-process.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

let home: string;
let spawned: StackProcess[];

beforeEach(() => {
  home = join(makeTemporaryDirectory('stack'), 'home');
  spawned = [];
});

afterEach(async () => {
  await Promise.all(spawned.map((stack) => stack.interrupt()));
});

function start(env: NodeJS.ProcessEnv = {}, by: 'node' | 'npm' = 'node'): StackProcess {
  const stack = spawnStack(home, env, by);
  spawned.push(stack);
  return stack;
}

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
const allPids = () => [...backendPids(home), ...programPids(home, 'worker'), ...programPids(home, 'server')];

const untilGone = (pids: readonly number[]) =>
  waitFor(() => areGone(pids), { timeoutMs: 90_000, everyMs: 100 });

describe('npm start', () => {
  /** Of a stack that was killed: they end a while after it. */
  let orphans: readonly number[] = [];

  it('[stack.after-kill] [stack.restarts-parts] [stack.ends-with-parent] starts after a kill -9 of everything and of itself alone, starts each part again that is killed, and is outlived by none of its programs', async () => {
    const first = start();
    const running = await first.up();
    await query(running.databaseUrl, 'create table killed as select 43 as answer');
    for (const pid of [first.pid, ...allPids()]) process.kill(pid, 'SIGKILL');

    const second = start();
    const afterAll = await second.up();
    const backends = backendPids(home);
    process.kill(second.pid, 'SIGKILL');
    const stack = start();
    const afterOne = await stack.up();

    expect(await healthOf(afterOne.api)).toBe(200);
    expect(afterAll.databaseUrl).toBe(running.databaseUrl);
    expect(backendPids(home)).toEqual(backends);
    expect(await query(afterOne.databaseUrl, 'select answer from killed')).toEqual([{ answer: 43 }]);

    const before = allPids();
    for (const pid of before) process.kill(pid, 'SIGKILL');

    const isWhole = async () => {
      const replaced = allPids().filter((pid) => !before.includes(pid));
      const answer = await query(afterOne.databaseUrl, 'select 1 as one').catch(() => []);
      const health = await healthOf(afterOne.api).catch(() => 0);
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

  it('[stack.one-owner] [stack.stop] [stack.data-stays] [stack.ends-with-parent] [secrets.key] comes up, is refused a second time, stops cleanly where npm is asked to end, finds all data again, and ends where npm is killed', async () => {
    const first = start({}, 'npm');
    const running = await first.up();
    expect(await healthOf(running.api)).toBe(200);
    await query(running.databaseUrl, 'create table kept as select 42 as answer');
    const kept = await makeAgent(running.api, { secrets: { KEY: 'plain-secret' } });
    expect(statSync(join(home, 'secret.key')).mode & 0o777).toBe(0o600);

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(
      `A stack already runs on ${home}: process ${running.pid}, its API is ${running.api}`,
    );
    expect(await healthOf(running.api)).toBe(200);

    const pids = [running.pid, ...allPids()];
    process.kill(first.pid, 'SIGTERM');
    expect(pids).toHaveLength(5);
    expect(await untilGone(pids)).toBe(true);
    expect([existsSync(join(home, 'stack.json')), existsSync(join(home, 'stack.lock'))]).toEqual([
      false,
      false,
    ]);

    const third = start({}, 'npm');
    const again = await third.up();
    expect(again).toMatchObject({
      databaseUrl: running.databaseUrl,
      temporalAddress: running.temporalAddress,
    });
    expect(await query(again.databaseUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    const [row] = await query(
      again.databaseUrl,
      `select extras::text as extras from agents where id = '${kept}'`,
    );
    expect(row).toMatchObject({ extras: expect.stringMatching(/"KEY": "sealed\.1\./) });

    const left = [again.pid, ...allPids()];
    process.kill(third.pid, 'SIGKILL');
    expect(left).toHaveLength(5);
    expect(await untilGone(left)).toBe(true);
    expect(existsSync(join(home, 'stack.lock'))).toBe(false);
  });

  it('says which port is taken', async () => {
    const thief = createServer().listen(0, '127.0.0.1');
    await once(thief, 'listening');
    const port = String((thief.address() as AddressInfo).port);

    const stack = start({ PORT: port });
    const end = await stack.ended;
    thief.close();

    expect(end).toBe(1);
    expect(stack.output()).toContain(`PORT is ${port}, but another program listens on it`);
    expect(backendPids(home)).toEqual([]);
    expect(existsSync(join(home, 'postgres'))).toBe(false);
  });

  it('[stack.settings-checked] lists all wrong settings before it starts anything', async () => {
    const stack = start({ PORT: 'many', DATABASE_URL: 'sqlite://x' });

    expect(await stack.ended).toBe(1);
    expect(stack.output()).toMatch(/PORT is 'many'.*\n.*DATABASE_URL is 'sqlite:\/\/x'/);
    expect(existsSync(home)).toBe(false);
  });

  it('[stack.ends-with-parent] ends its servers, after its programs, where it was killed itself', async () => {
    expect(orphans).toHaveLength(2);
    expect(await untilGone(orphans)).toBe(true);
  });
});
