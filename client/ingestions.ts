import type { Client } from '@temporalio/client';
import { ingestFileType, workflowTaskTimeout } from '../workflows/protocol.js';
import { ignoreNotFound, isOpen } from './executions.js';

/** Starts and stops the ingestion of files. The rows say what is due; this only wakes the workflow. */
export interface Ingestions {
  /** Starts a file's ingestion. Does nothing where it runs already. */
  start(fileId: string): Promise<void>;
  /** Tells a file's ingestion that the file was cancelled or deleted. Does nothing where none runs. */
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
