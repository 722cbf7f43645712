import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** Bundles the workflows that a module exports into one script. */
export async function bundleWorkflows(workflowsPath: string, logger: Logger): Promise<string> {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  return code;
}
