import { z } from 'zod';
import type { Execution } from '../../schema/turns/turns.js';
import type { ServerSettings } from '../deps.js';

/** A run's execution in Temporal. Not part of Letta's API. */
export const wireExecution = z
  .object({
    workflow_id: z.string(),
    execution_id: z.string().nullable().describe('null: no worker has taken the run yet'),
    namespace: z.string(),
    url: z.string().nullable().describe('The page of Temporal’s UI about it; null: the server knows of none'),
  })
  .meta({ id: 'RunExecution' });

export function toWireExecution(
  { workflowId, executionId }: Execution,
  { namespace = 'default', ui }: Partial<NonNullable<ServerSettings['temporal']>>,
): z.infer<typeof wireExecution> {
  return {
    workflow_id: workflowId,
    execution_id: executionId,
    namespace,
    url:
      ui === undefined || executionId === null
        ? null
        : `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${workflowId}/${executionId}/history`,
  };
}
