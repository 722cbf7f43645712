import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { backendPids, spawnStack, type StackProcess } from '../support/stack-process.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { makeTemporaryDirectory } from '../support/temporary.js';
import { testTemporal } from '../support/temporal.js';

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

  it('[stack.up] brings up what is not set elsewhere, and says where everything is', async () => {
    stack = spawnStack(home, { DATABASE_URL: database.url });

    const running = await stack.up();

    expect(backendPids(home)).toHaveLength(1);
    expect(running.temporalUi).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const line of [
      `API          ${running.api}\n`,
      `API docs     ${running.api}/docs\n`,
      `Temporal UI  ${running.temporalUi ?? ''}\n`,
      `Data         ${home}\n`,
    ]) {
      expect(stack.output()).toContain(line);
    }
    expect((await fetch(`${running.api}/docs/`)).status).toBe(200);
    expect((await fetch(running.temporalUi ?? '')).status).toBe(200);
  });
});
