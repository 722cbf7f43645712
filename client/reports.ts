import type { Client } from '@temporalio/client';
import { reportTurnType, workflowTaskTimeout } from '../workflows/protocol.js';

/** Has ends of turns reported to who asked to be called back. */
export interface Reports {
  /** Starts the report of a turn that has ended. Does nothing where it is under way. */
  start(turnId: string): Promise<void>;
}

export function createReports(temporal: Client, taskQueue: string): Reports {
  return {
    async start(turnId) {
      await temporal.workflow.start(reportTurnType, {
        workflowId: `report-${turnId}`,
        taskQueue,
        args: [{ turnId }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout,
        memo: { run: turnId },
        staticSummary: `report of ${turnId}`,
      });
    },
  };
}
