import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { toConnectionOptions } from '../adapters/settings/temporal-connection.js';

/** How long ago a worker may have asked for work, in ms: its longest poll and a bit. */
const patienceMs = 90_000;

/** Exits with 0 when a worker of this host has lately asked Temporal for work: the health check of a container. */
async function main(): Promise<void> {
  const { temporal } = readSettings(loadEnvironment());
  if (temporal.address === undefined) throw new Error('TEMPORAL_ADDRESS is not set.');
  const connection = await Connection.connect(toConnectionOptions(temporal, temporal.address));
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: temporal.namespace,
      taskQueue: { name: temporal.taskQueue },
    });
    // A worker's name ends with its host: see presence.ts.
    const asked = pollers
      .filter(({ identity }) => identity?.endsWith(`@${hostname()}`))
      .map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
    if (Math.max(0, ...asked) < Date.now() - patienceMs) {
      throw new Error(`No worker of ${hostname()} asks for work on ${temporal.taskQueue}.`);
    }
  } finally {
    await connection.close();
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
