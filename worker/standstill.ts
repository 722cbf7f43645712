import { activityInfo } from '@temporalio/activity';
import { watchStandstill, type Work } from '../adapters/standstill/standstill.js';
import { standstillStatement } from '../schema/turns/worker-deaths.js';

/** The worker that watches itself. */
export interface StandingWorker {
  readonly databaseUrl: string;
  readonly key: number;
  /** Default: as for every process. */
  readonly afterMs?: number;
}

/**
 * Ends this worker when nothing goes on in it, and leaves word of the thread whose activity keeps all else from going on.
 * Returns what ends the watch.
 */
export function watchWorker({ databaseUrl, key, ...options }: StandingWorker): () => Promise<void> {
  const mark = { databaseUrl, statement: standstillStatement, values: [key] };
  return watchStandstill({ ...options, atWork: activityAtWork, mark });
}

function activityAtWork(): Work | undefined {
  try {
    const { activityType, workflowExecution } = activityInfo();
    return workflowExecution === undefined
      ? undefined
      : { name: activityType, id: workflowExecution.workflowId };
  } catch {
    // What runs is no activity.
    return undefined;
  }
}
