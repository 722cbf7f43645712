import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { packageFile } from '../../stack/processes.js';
import { embeddedTuning } from '../../stack/temporal.js';
import { waitFor } from '../../stack/waiting.js';
import { readProjectFile } from '../support/house/project-files.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';
import { testTemporal } from '../support/runtime/temporal.js';

const steps = 10;
/** A stock server takes two ticks, 100 ms, for each step, on however fast a machine. */
const mostMs = steps * 75;

/** One activity after the other, none of them a local one. */
const workflow = `
import { proxyActivities } from '@temporalio/workflow';
const { nothing } = proxyActivities({ startToCloseTimeout: '10s' });
export async function manySteps() { for (let i = 0; i < ${steps}; i += 1) await nothing(); }
`;

describe('the Temporal of docker-compose.yml', () => {
  it('[stack.tuned] is tuned as the embedded one', () => {
    const file = readProjectFile('docker/temporal-dynamic-config.yaml');
    const values = [...file.matchAll(/^([\w.]+):\n {2}- value: (\w+)$/gm)].map(
      ([, name = '', value = '']) => `${name}=${value}`,
    );
    expect(values).toEqual(embeddedTuning);
  });
});

describe('the embedded Temporal', () => {
  it('[stack.tuned] hands over tasks without waiting for the stock server’s ticks of 50 ms', async () => {
    const directory = makeTemporaryDirectory('tuning');
    mkdirSync(join(directory, 'workflows'));
    symlinkSync(packageFile('node_modules'), join(directory, 'node_modules'));
    const workflowsPath = join(directory, 'workflows', 'index.ts');
    writeFileSync(workflowsPath, workflow);
    const { address, namespace } = testTemporal();
    const connection = await Connection.connect({ address });
    const native = await NativeConnection.connect({ address });
    const taskQueue = `tuning-${process.pid}`;
    const quiet = () => undefined;
    const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
    const worker = await Worker.create({
      connection: native,
      namespace,
      taskQueue,
      workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
      activities: { nothing: () => Promise.resolve() },
    });
    const client = new Client({ connection, namespace });

    let run = 0;
    const isFast = async (): Promise<true | undefined> => {
      run += 1;
      const startedAt = performance.now();
      await client.workflow.execute('manySteps', { taskQueue, workflowId: `${taskQueue}-${run}` });
      return performance.now() - startedAt < mostMs || undefined;
    };
    // One fast run is enough, and a busy machine may take a while to have it.
    const wasFast = await worker.runUntil(waitFor(isFast, { timeoutMs: 120_000 }));
    await native.close();
    await connection.close();

    expect(wasFast).toBe(true);
  });
});
