import { DefaultLogger } from '@temporalio/worker';
import { bundleWorkflows } from './bundle.js';

/** The process that bundles the workflows of the path that it is given, and writes the script to its output. */
const [workflowsPath = ''] = process.argv.slice(2);
// What went well is no news: it would be the first thing that a new worker says.
process.stdout.write(await bundleWorkflows(workflowsPath, new DefaultLogger('WARN')));
