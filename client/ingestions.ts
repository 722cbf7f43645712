import type { Client } from '@temporalio/client';
import { ingestFileType, workflowTaskTimeout } from '../workflows/protocol.js';
import { ignoreNotFound, isOpen } from './executions.js';

/** Sets the ingestion of files going. The rows say what there is to do; this only wakes who does it. */
export interface Ingestions {
  /** Starts the work on a file. Does nothing where somebody works on it. */
  start(fileId: string): Promise<void>;
  /** Tells whoever works on a file that it was cancelled or deleted. Does nothing where nobody does. */
  stop(fileId: string): Promise<void>;
  isRunning(fileId: string): Promise<boolean>;
}

export function createIngestions(temporal: Client, taskQueue: string): Ingestions {
  return {
    async start(fileId) {
      await temporal.workflow.start(ingestFileType, {
        workflowId: fileId,
        taskQueue,
        args: [{ fileId }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout,
        staticSummary: `ingestion of ${fileId}`,
      });
    },
    async stop(fileId) {
      await temporal.workflow.getHandle(fileId).cancel().catch(ignoreNotFound);
    },
    isRunning: (fileId) => isOpen(temporal, fileId),
  };
}
