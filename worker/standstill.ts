import { activityInfo } from '@temporalio/activity';
import { watchStandstill, type Work } from '../adapters/standstill/standstill.js';
import { standstillStatement } from '../schema/turns/worker-deaths.js';

/** A worker that watches itself. */
export interface StandingWorker {
  readonly databaseUrl: string;
  readonly key: number;
  /** Default: the same for every process. */
  readonly afterMs?: number;
}

/**
 * Ends this worker when its event loop is blocked, and records the thread whose activity blocks it. Returns a
 * function that stops the watch.
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
    // No activity is running.
    return undefined;
  }
}
