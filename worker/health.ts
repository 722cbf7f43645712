import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { toConnectionOptions } from '../adapters/settings/temporal-connection.js';

/** The longest poll of a worker and some margin, in ms. */
const patienceMs = 90_000;

/** Exits with 0 if a worker of this host has recently polled Temporal: the health check of a container. */
async function main(): Promise<void> {
  const { temporal } = readSettings(loadEnvironment());
  if (temporal.address === undefined) throw new Error('TEMPORAL_ADDRESS is not set.');
  const connection = await Connection.connect(toConnectionOptions(temporal, temporal.address));
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: temporal.namespace,
      taskQueue: { name: temporal.taskQueue },
    });
    // A worker's identity ends with its host: see presence.ts.
    const asked = pollers
      .filter(({ identity }) => identity?.endsWith(`@${hostname()}`))
      .map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
    if (Math.max(0, ...asked) < Date.now() - patienceMs) {
      throw new Error(`No worker of ${hostname()} polls ${temporal.taskQueue}.`);
    }
  } finally {
    await connection.close();
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
