import { isFiltered } from './filtered-run.js';
import { addFailure, withTypeScript } from './reporting.js';

/**
 * Fails a run whose workflow histories hold content: every history on the test server is decoded and searched for the
 * run's canary, while the server is still up. That counts as one failed test.
 */
export default class CanaryReporter {
  #run;

  constructor(globalConfig) {
    this.#run = globalConfig;
  }

  async onRunComplete(_contexts, results) {
    // Without servers there are no histories; an interrupted run has ended them.
    if (process.env.PERDURE_TEST_STATE === undefined || results.wasInterrupted) return;
    const problem = await this.#findProblem().catch((error) => `No hunt for content: ${error.stack}`);
    if (problem !== undefined) addFailure(results, problem);
  }

  #findProblem() {
    return withTypeScript(async () => {
      const { readTestState } = await import('./test-state.ts');
      const { describeHunt, huntCanary } = await import('./canary-hunt.ts');
      const state = readTestState();
      const hunt = await huntCanary(state.temporal, state.canary);
      const problem = describeHunt(hunt, !isFiltered(this.#run));
      if (problem === undefined)
        process.stderr.write(`\n${hunt.histories} histories decoded, no content found\n`);
      return problem;
    });
  }
}
