import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { isSameProcess } from '../../adapters/settings/process-identity.js';
import { startTemporal, type RunningTemporal, type TemporalOptions } from '../../stack/temporal.js';
import { readTestState } from '../support/run/test-state.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const agentAttribute = defineSearchAttributeKey('PerdureAgent', SearchAttributeType.KEYWORD);
let directory: string;
let started: RunningTemporal[];

beforeEach(() => {
  directory = makeTemporaryDirectory('temporal');
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function start(options: Partial<TemporalOptions> = {}): Promise<RunningTemporal> {
  const server = await startTemporal({
    binary: readTestState().temporal.binary,
    namespace: 'agents',
    dbFile: join(directory, 'data', 'temporal.db'),
    logFile: join(directory, 'temporal.log'),
    onProgress: () => undefined,
    ...options,
  });
  started.push(server);
  return server;
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection, namespace: 'agents' }));
  } finally {
    await connection.close();
  }
}

const begin = (client: Client) =>
  client.workflow.start('agentTurn', {
    workflowId: 'agent-1',
    taskQueue: 'nobody',
    typedSearchAttributes: [{ key: agentAttribute, value: 'agent-1' }],
  });
const statusOf = async (client: Client) =>
  (await client.workflow.getHandle('agent-1').describe()).status.name;

describe('startTemporal', () => {
  it('keeps executions and addresses over a stop and a kill -9, takes over a server whose owner was killed, since a second one would spoil its file, and replaces one that hangs', async () => {
    const first = await start();
    await withClient(first.address, begin);
    await first.stop();
    const second = await start();
    const afterStop = await withClient(second.address, statusOf);
    process.kill(second.pid, 'SIGKILL');

    const third = await start();

    expect(afterStop).toBe('RUNNING');
    expect(await withClient(third.address, statusOf)).toBe('RUNNING');
    expect([second.address, second.uiUrl]).toEqual([first.address, first.uiUrl]);
    expect([third.address, third.uiUrl]).toEqual([first.address, first.uiUrl]);

    const takenOver = await start();
    expect(takenOver.pid).toBe(third.pid);

    process.kill(third.pid, 'SIGSTOP');
    const fourth = await start({ patienceMs: 0 });
    expect(fourth.pid).not.toBe(third.pid);
    expect(isSameProcess(third.pid, third.identity)).toBe(false);
    expect(await withClient(fourth.address, statusOf)).toBe('RUNNING');

    await (await start()).stop();
    expect(isSameProcess(fourth.pid, fourth.identity)).toBe(false);
  });

  it('[stack.after-kill] starts on a file whose first server was killed while it made its tables', async () => {
    const file = join(directory, 'data', 'temporal.db');
    const binary = join(directory, 'temporal');
    const dies = `if mkdir "${file}.died"; then : > "${file}"; kill -9 $$; fi`;
    writeFileSync(binary, `#!/bin/sh\n${dies}\nexec ${readTestState().temporal.binary} "$@"\n`, {
      mode: 0o755,
    });

    const server = await start({ binary });

    expect(await withClient(server.address, begin)).toMatchObject({ workflowId: 'agent-1' });
  });

  it('[stack.after-kill] throws away what a start that was killed with its server left half made', async () => {
    const file = join(directory, 'data', 'temporal.db');
    mkdirSync(dirname(file));
    writeFileSync(`${file}.unfinished`, '');
    writeFileSync(file, '');

    const server = await start();

    expect(await withClient(server.address, begin)).toMatchObject({ workflowId: 'agent-1' });
    expect(existsSync(`${file}.unfinished`)).toBe(false);
  });

  it('tells what the program said when it does not start', async () => {
    const binary = join(directory, 'temporal');
    writeFileSync(binary, '#!/bin/sh\necho "no such flag"\nexit 3\n');
    chmodSync(binary, 0o755);

    await expect(start({ binary })).rejects.toThrow(
      `Temporal (${binary}) does not start. It said:\nno such flag`,
    );
  });
});
