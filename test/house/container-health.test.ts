import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { compileForRun } from '../support/run/compiled.js';
import { loadWorkflowBundle, testTemporal } from '../support/runtime/temporal.js';

const execute = promisify(execFile);

describe('the health check of a worker’s container', () => {
  it('[scale.compose-commands] fails without a worker on this host and passes while one polls', async () => {
    const { address, namespace } = testTemporal();
    const taskQueue = `health-${process.pid}`;
    const program = await compileForRun('worker/health.ts');
    const check = () =>
      execute(process.execPath, [program], {
        env: {
          ...process.env,
          TEMPORAL_ADDRESS: address,
          TEMPORAL_NAMESPACE: namespace,
          PERDURE_TASK_QUEUE: taskQueue,
        },
      });
    await expect(check()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No worker of \S+ polls health-/) as unknown,
    });

    const connection = await NativeConnection.connect({ address });
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle: loadWorkflowBundle(),
    });
    const { stderr } = await worker.runUntil(async () => {
      for (;;) {
        const outcome = await check().catch((error: unknown) => error as { stderr: string });
        if (!outcome.stderr.startsWith('No worker')) return outcome;
      }
    });
    await connection.close();

    expect(stderr).toBe('');
  });
});
