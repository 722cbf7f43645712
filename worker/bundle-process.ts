import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Bundles the workflows at the given path and writes the script to its output, in a process of its own. */
const [workflowsPath = ''] = process.argv.slice(2);
const { code } = await bundleWorkflowCode({
  workflowsPath,
  // Success needs no log line.
  logger: new DefaultLogger('WARN'),
});
process.stdout.write(code);
