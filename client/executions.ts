import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Whether a workflow has an open execution. */
export async function isOpen(temporal: Client, workflowId: string): Promise<boolean> {
  const found = await temporal.workflow.getHandle(workflowId).describe().catch(ignoreNotFound);
  return found?.status.name === 'RUNNING';
}

/** Which open executions to list. `pageSize`: how many Temporal tells at a time, if not as many as it will. */
interface OpenList {
  readonly type: string;
  readonly taskQueue: string;
  readonly pageSize?: number | undefined;
}

/** The ids of workflows of a type with an open execution. Temporal's list is some seconds late. */
export async function listOpen(
  temporal: Client,
  { type, taskQueue, pageSize }: OpenList,
): Promise<ReadonlySet<string>> {
  const query = `WorkflowType = '${type}' AND TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
  const ids = new Set<string>();
  for await (const { workflowId } of temporal.workflow.list({ query, ...(pageSize && { pageSize }) }))
    ids.add(workflowId);
  return ids;
}

/** Ignores that an execution no longer exists, for messages to one. Throws every other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
