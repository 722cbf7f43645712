import { fileURLToPath } from 'node:url';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { controlActivities } from './activities.js';
import { workingActivities } from './working-activities.js';

/**
 * The worker of the controls, in its own process, as perdure's worker is. Arguments: Temporal's address, the task queue,
 * the URLs of database and model.
 */
const [address = '', taskQueue = '', databaseUrl = '', modelUrl = ''] = process.argv.slice(2);
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  // Controls run into limits on purpose. Their result says so, and the log need not.
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: { ...controlActivities, ...workingActivities({ databaseUrl, modelUrl }) },
  maxConcurrentWorkflowTaskExecutions: 120,
});
process.once('disconnect', () => process.exit(0));
const running = worker.run();
process.send?.({ ready: true });
await running;
