import { readFileSync } from 'node:fs';
import { readTestState } from '../run/test-state.js';

/** The run's Temporal server, shared by all test files: each takes ids and task queues of its own. */
export function testTemporal(): { address: string; namespace: string } {
  const { address, namespace } = readTestState().temporal;
  return { address, namespace };
}

/** The workflows as a worker takes them (`workflowBundle`). Throws what the bundler threw, if it failed. */
export function loadWorkflowBundle(): { code: string } {
  const { bundle, failures } = readTestState();
  if (failures.bundle !== undefined)
    throw new Error(`The workflows could not be bundled: ${failures.bundle}`);
  return { code: readFileSync(bundle, 'utf8') };
}
