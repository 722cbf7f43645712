import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { backendPids, spawnStack, type StackProcess } from '../support/stack-process.js';
import { createTestDatabase, type TestDatabase } from '../support/runtime/postgres.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';
import { testTemporal } from '../support/runtime/temporal.js';

describe('npm start beside servers of one’s own', () => {
  let home: string;
  let database: TestDatabase;
  let stack: StackProcess | undefined;

  beforeEach(async () => {
    home = join(makeTemporaryDirectory('external'), 'home');
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await stack?.interrupt();
    await database.drop();
  });

  it('[stack.external] uses them, starts none, and leaves them running', async () => {
    const { address, namespace } = testTemporal();
    stack = spawnStack(home, {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PERDURE_TASK_QUEUE: `external-${process.pid}`,
    });

    const running = await stack.up();

    expect(running).toMatchObject({ databaseUrl: database.url, temporalAddress: address });
    expect(backendPids(home)).toEqual([]);
    expect(existsSync(join(home, 'postgres'))).toBe(false);
    expect(await (await fetch(`${running.api}/v1/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await stack.interrupt()).toBe(0);
    // It would fail where the stack had ended the server.
    await (await createTestDatabase()).drop();
  });

  it('[stack.up] [wire.browser] brings up what is not set elsewhere and says where it is: Temporal’s UI for this machine’s browsers alone, its HTTP API for nobody', async () => {
    stack = spawnStack(home, { DATABASE_URL: database.url });

    const { api, temporalUi = '' } = await stack.up();

    const [pid, ...others] = backendPids(home);
    expect(others).toEqual([]);
    expect(temporalUi).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const line of [
      `API          ${api}\n`,
      `API docs     ${api}/docs\n`,
      `Temporal UI  ${temporalUi}\n`,
      `Data         ${home}\n`,
    ]) {
      expect(stack.output()).toContain(line);
    }
    expect((await fetch(`${api}/docs/`)).status).toBe(200);
    expect((await fetch(temporalUi)).status).toBe(200);

    const namespaces = `${temporalUi}/api/v1/namespaces`;
    expect(await statusOf(namespaces, {})).toBe(200);
    expect(await statusOf(namespaces, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(namespaces, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(namespaces, { origin: 'https://evil.example' })).toBe(403);
    const ports = await listeningPorts(pid ?? 0);
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) {
      for (const headers of [{}, { host: 'evil.example' }]) {
        expect(await statusOf(`http://127.0.0.1:${port}/api/v1/namespaces`, headers)).not.toBe(200);
      }
    }
  });
});

/** What is answered to a request with these headers; undefined where nothing of HTTP is. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve) => {
    request(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', () => {
        resolve(undefined);
      })
      .end();
  });
}

/** The ports of 127.0.0.1, or of all addresses, on which a process listens. */
async function listeningPorts(pid: number): Promise<readonly number[]> {
  const links = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(links.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  const files = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  return files
    .flatMap((file) => file.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
    .map(([, local = '']) => local.split(':'))
    .filter(([address = '']) => address === '0100007F' || /^0+$/.test(address))
    .map(([, port = '']) => parseInt(port, 16));
}
