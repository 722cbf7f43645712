import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * Takes back what the SDK does to this thread where workflows run in it: a hook of every promise, for stack traces. It
 * would make all files after it in this process slower.
 */
export function unhookPromises(): void {
  globalHandlers.uninstall();
}
