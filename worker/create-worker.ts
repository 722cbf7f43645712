import { type NativeConnection, Worker } from '@temporalio/worker';
import { createActivities, type Activities } from '../activities/index.js';
import type { ActivityDeps } from '../activities/deps.js';
import { workflowBundle } from './workflow-bundle.js';

export interface WorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly deps: ActivityDeps;
  /** How Temporal and the other workers know this process. */
  readonly identity: string;
  /** Default: bundled, or taken from the cache. */
  readonly bundle?: { code: string };
  /** Replaces activities by others of the same shape: for tests that stop one at a chosen point. */
  readonly wrap?: (activities: Activities) => Activities;
}

/** A Temporal worker for turns. */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const activities = createActivities(options.deps);
  return Worker.create({
    connection: options.connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue,
    identity: options.identity,
    workflowBundle: options.bundle ?? (await workflowBundle()),
    activities: options.wrap?.(activities) ?? activities,
    // A dead worker's cached workflows go to another one after this time, where nobody saw its death sooner.
    stickyQueueScheduleToStartTimeout: '1s',
    // Cancellation reaches an activity with its next keep-alive.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    maxConcurrentWorkflowTaskExecutions: 120,
    shutdownGraceTime: '5s',
    shutdownForceTime: '10s',
    // A bad deploy fails the execution, which the sweep resumes, instead of retrying its task for ever.
    workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
  });
}
