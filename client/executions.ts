import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Whether a workflow has an open execution. */
export async function isOpen(temporal: Client, workflowId: string): Promise<boolean> {
  const found = await temporal.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
  return found?.status.name === 'RUNNING';
}

/** The ids of workflows of a type that have an open execution, as they are listed: some seconds late. */
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

/** For what is told to an execution: that there is none any more is no failure. Throws every other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
