import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** The process that bundles the workflows of the path that it is given, and writes the script to its output. */
const [workflowsPath = ''] = process.argv.slice(2);
const { code } = await bundleWorkflowCode({
  workflowsPath,
  // What went well is no news: it would be the first thing that a new worker says.
  logger: new DefaultLogger('WARN'),
});
process.stdout.write(code);
