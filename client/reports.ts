import type { Client } from '@temporalio/client';
import { reportTurnType, workflowTaskTimeout } from '../workflows/protocol.js';

/** Reports the ends of turns to their callback URLs. */
export interface Reports {
  /** Starts the report of an ended turn. Does nothing where it runs already. */
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
