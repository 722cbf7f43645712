import { isFiltered } from './filtered-run.js';
import { addFailure, withTypeScript } from './reporting.js';

/**
 * Fails a whole run in which a requirement is shown by no passed test, or a test cites one that there is not; that
 * counts as one failed test. A run of a part of the tests can't tell, and is left alone.
 */
export default class RequirementsReporter {
  #run;
  #tests = [];

  constructor(globalConfig) {
    this.#run = globalConfig;
  }

  onTestResult(_test, { testResults }) {
    for (const { ancestorTitles, title, status } of testResults) {
      this.#tests.push({
        title: [...ancestorTitles, title].join(' '),
        passed: status === 'passed',
        skipped: status === 'pending',
      });
    }
  }

  async onRunComplete(_contexts, results) {
    if (isFiltered(this.#run) || results.wasInterrupted) return;
    const problem = await this.#findProblem();
    if (problem !== undefined) addFailure(results, problem);
  }

  #findProblem() {
    return withTypeScript(async () => {
      const { requirements } = await import('../../requirements.ts');
      const { describeGaps, findGaps } = await import('./requirement-coverage.ts');
      const ids = requirements.map(({ id }) => id);
      return describeGaps(findGaps(ids, this.#tests));
    });
  }
}
