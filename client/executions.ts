import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Whether a workflow has an open execution. */
export async function isOpen(temporal: Client, workflowId: string): Promise<boolean> {
  const found = await temporal.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
  return found?.status.name === 'RUNNING';
}

/** The ids of workflows of a type with an open execution. Temporal's list is some seconds late. */
export async function listOpen(
  temporal: Client,
  type: string,
  taskQueue: string,
): Promise<ReadonlySet<string>> {
  const query = `WorkflowType = '${type}' AND TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  const ids = new Set<string>();
  for await (const { workflowId } of temporal.workflow.list({ query })) ids.add(workflowId);
  return ids;
}

/** Ignores that an execution no longer exists, for messages to one. Throws every other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
