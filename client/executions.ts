import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Whether a workflow has an open execution. */
export async function isOpen(temporal: Client, workflowId: string): Promise<boolean> {
  const found = await temporal.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
  return found?.status.name === 'RUNNING';
}

/** For what is told to an execution: that there is none any more is no failure. Throws every other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
