import type { Client } from '@temporalio/client';
import { refineMemoryType, ringSignal, workflowTaskTimeout } from '../workflows/protocol.js';

/** Wakes sleep-time partners. */
export interface PartnerBell {
  /** Starts the workflow that runs the partner's refinements, or tells the open one to look again. */
  wake(partnerId: string): Promise<void>;
}

export function createPartnerBell(temporal: Client, taskQueue: string): PartnerBell {
  return {
    async wake(partnerId) {
      await temporal.workflow.signalWithStart(refineMemoryType, {
        workflowId: refinementWorkflowId(partnerId),
        taskQueue,
        args: [{ partnerId }],
        signal: ringSignal,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowTaskTimeout,
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
