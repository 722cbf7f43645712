import { dirname, join } from 'node:path';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** Bundles the workflows that a module exports into one script. What `preloaded` beside it loads is loaded once. */
export async function bundleWorkflows(workflowsPath: string, logger: Logger): Promise<string> {
  // The bundler takes `.js` for TypeScript too, where there is such a file.
  const preloadModules = [join(dirname(workflowsPath), 'preloaded.js')];
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger });
  return code;
}
