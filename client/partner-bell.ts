import type { Client } from '@temporalio/client';
import { refineMemoryType } from '../workflows/protocol.js';

/** Wakes sleep-time partners. */
export interface PartnerBell {
  /** Starts the workflow that does what the partner's rows ask for. One that is open does it by itself. */
  wake(partnerId: string): Promise<void>;
}

export function createPartnerBell(temporal: Client, taskQueue: string): PartnerBell {
  return {
    async wake(partnerId) {
      await temporal.workflow.start(refineMemoryType, {
        workflowId: refinementWorkflowId(partnerId),
        taskQueue,
        args: [{ partnerId }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: '2s',
        memo: { agent: partnerId },
        staticSummary: `refinements of ${partnerId}`,
      });
    },
  };
}

/** The id of the workflow that refines by this partner. */
function refinementWorkflowId(partnerId: string): string {
  return `refine-${partnerId}`;
}
