import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ingestFileType } from '../workflows/protocol.js';

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
        // A workflow task of a killed worker is given to another one after this time.
        workflowTaskTimeout: '2s',
        staticSummary: `ingestion of ${fileId}`,
      });
    },
    async stop(fileId) {
      await temporal.workflow.getHandle(fileId).cancel().catch(ignoreNotFound);
    },
    async isRunning(fileId) {
      const found = await temporal.workflow.getHandle(fileId).describe().catch(ignoreNotFound);
      return found?.status.name === 'RUNNING';
    },
  };
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
