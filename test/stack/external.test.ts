import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { waitFor } from '../../stack/waiting.js';
import { backendPids, programPids, spawnStack, type StackProcess } from '../support/stack-process.js';
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

  it('[stack.external] [stack.ends-with-parent] uses them, starts none, ends where npm is killed, and leaves them running', async () => {
    const { address, namespace } = testTemporal();
    const env = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PERDURE_TASK_QUEUE: `external-${process.pid}`,
    };
    stack = await spawnStack(home, env, 'npm');

    const running = await stack.up();

    expect(running).toMatchObject({ databaseUrl: database.url, temporalAddress: address });
    expect(backendPids(home)).toEqual([]);
    expect(existsSync(join(home, 'postgres'))).toBe(false);
    expect(await (await fetch(`${running.api}/v1/health`)).json()).toMatchObject({ status: 'ok' });
    const left = [running.pid, ...programPids(home, 'worker'), ...programPids(home, 'server')];
    process.kill(stack.pid, 'SIGKILL');
    expect(left).toHaveLength(3);
    const areGone = () => left.every((pid) => identifyProcess(pid) === undefined) || undefined;
    expect(await waitFor(areGone, { timeoutMs: 90_000, everyMs: 100 })).toBe(true);
    expect(existsSync(join(home, 'stack.lock'))).toBe(false);
    // It would fail where the stack had ended the server.
    await (await createTestDatabase()).drop();
  });
});
