import { register } from 'tsx/esm/api';

/** Runs work that imports TypeScript. Jest does not compile its reporters: tsx does for the while, and steps aside again. */
export async function withTypeScript(work) {
  const unregister = register();
  try {
    return await work();
  } finally {
    await unregister();
  }
}

/** What reporters found beside the tests, each counted as a failed one. */
export const addedFailures = [];

/** Counts the problem as one failed test of the run, and says it. */
export function addFailure(results, problem) {
  results.numFailedTests += 1;
  results.numTotalTests += 1;
  results.success = false;
  addedFailures.push(problem);
  process.stderr.write(`\n${problem}\n\n`);
}
