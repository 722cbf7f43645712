import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { keepRunning } from '../../stack/keep-running.js';
import type { Part } from '../../stack/parts.js';
import { startPostgres, type PostgresOptions } from '../../stack/postgres.js';
import { waitForPort } from '../../stack/ports.js';
import { findPostmaster } from '../../stack/postmaster.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

describe('[stack.restarts-parts] a server that is kept running', () => {
  let directory: string;
  let kept: Part | undefined;

  beforeEach(() => {
    directory = makeTemporaryDirectory('keeping');
    kept = undefined;
  });

  afterEach(async () => {
    await kept?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('comes back at its address once a program that took its port is gone', async () => {
    const said: string[] = [];
    const onProgress = (line: string) => said.push(line);
    const dataDir = join(directory, 'postgres');
    const options: PostgresOptions = { dataDir, durable: false, patienceMs: 0, onProgress };
    const server = await startPostgres(options);
    process.kill(server.pid, 'SIGKILL');
    await waitFor(() => identifyProcess(server.pid) === undefined || undefined, { timeoutMs: 90_000 });
    expect(await waitForPort(server.port)).toBe(server.port);
    const thief = createServer().listen(server.port, '127.0.0.1');
    await once(thief, 'listening');

    kept = keepRunning({
      name: 'PostgreSQL',
      server,
      startAgain: () => startPostgres({ ...options, port: server.port }),
      killSignal: 'SIGQUIT',
      onProgress,
    });
    const refusal = `Another program has port ${server.port}.`;
    await waitFor(() => said.some((line) => line.includes(refusal)) || undefined, { timeoutMs: 90_000 });
    thief.close();

    const back = await waitFor(() => findPostmaster(join(dataDir, 'cluster')), {
      timeoutMs: 90_000,
    });
    expect(back?.port).toBe(server.port);
    expect(back?.pid).not.toBe(server.pid);
  });
});
