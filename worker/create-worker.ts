import type { UntypedActivities } from '@temporalio/common';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { createActivities, type Activities } from '../activities/index.js';
import type { ActivityDeps } from '../activities/deps.js';
import type { WorkerLimits } from '../adapters/settings/settings.js';
import { workflowBundle } from './workflow-bundle.js';

export interface WorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly deps: ActivityDeps;
  /** This process's identity in Temporal and for other workers. */
  readonly identity: string;
  /** Default: the settings' defaults. */
  readonly limits?: WorkerLimits;
  /** Default: bundled now, or read from the cache. */
  readonly bundle?: { code: string };
  /** Activities of a user, in addition to ours. */
  readonly ownActivities?: OwnActivities | undefined;
  /** How long what is running may go on once the worker is told to stop, in ms. */
  readonly graceMs?: number;
  /** Runs workflows in this thread instead of one of their own, which takes 200 ms to start: for tests. */
  readonly inThisThread?: boolean;
  /** Replaces activities by others of the same shape: for tests that stop one at a chosen point. */
  readonly wrap?: (activities: Activities) => Activities;
}

const defaultLimits: WorkerLimits = { activities: 100, workflowTasks: 120, pollers: 10 };

/** The stack waits 15 s for a worker to end. A model call that ends within this time is not paid for twice. */
const defaultGraceMs = 12_000;
/** How long a worker waits for activities that do not end after the grace period, in ms. */
const forceAfterMs = 2_000;

/** Activities of a user's own, by their names. */
export type OwnActivities = Readonly<UntypedActivities>;

/** A Temporal worker for turns. Throws a TypeError where an activity of a user's own has the name of one of ours. */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const { limits = defaultLimits, graceMs = defaultGraceMs } = options;
  const activities = createActivities(options.deps);
  const taken = Object.keys(options.ownActivities ?? {}).filter((name) => name in activities);
  if (taken.length > 0)
    throw new TypeError(`perdure has activities of these names itself: ${taken.join(', ')}.`);
  return Worker.create({
    connection: options.connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue,
    identity: options.identity,
    workflowBundle: options.bundle ?? (await workflowBundle()),
    activities: { ...options.ownActivities, ...(options.wrap?.(activities) ?? activities) },
    debugMode: options.inThisThread ?? false,
    // A dead worker's cached workflows go to another one after this time, if no worker noticed its death sooner.
    stickyQueueScheduleToStartTimeout: '1s',
    // Cancellation reaches an activity with its next keep-alive.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    maxConcurrentWorkflowTaskExecutions: limits.workflowTasks,
    maxConcurrentActivityTaskExecutions: limits.activities,
    maxConcurrentLocalActivityExecutions: limits.activities,
    // Some polls are for any workflow task, the others for those of workflows in this worker's cache, so there must
    // be at least two.
    maxConcurrentWorkflowTaskPolls: Math.max(2, Math.min(limits.pollers, limits.workflowTasks)),
    maxConcurrentActivityTaskPolls: Math.min(limits.pollers, limits.activities),
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + forceAfterMs,
    // After a bad deploy the execution fails and the sweep resumes it, instead of retrying its task forever.
    workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
  });
}
