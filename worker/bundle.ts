import { dirname, join } from 'node:path';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** Bundles the workflows that a module exports into one script. What `preloaded.ts` beside it loads is loaded once. */
export async function bundleWorkflows(workflowsPath: string, logger: Logger): Promise<string> {
  const preloadModules = [join(dirname(workflowsPath), 'preloaded.ts')];
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger });
  return code;
}
