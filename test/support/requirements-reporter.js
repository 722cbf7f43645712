import { register } from 'tsx/esm/api';
import { isFiltered } from './filtered-run.js';

/**
 * Fails a whole run in which a requirement is shown by no passed test, or a test cites one that there is not; that
 * counts as one failed test. A run of a part of the tests can't tell, and is left alone.
 */
export default class RequirementsReporter {
  #run;
  #table;
  #tests = [];

  constructor(globalConfig, options = {}) {
    this.#run = globalConfig;
    this.#table = options.table ?? new URL('../requirements.ts', import.meta.url).href;
  }

  onTestResult(_test, { testResults }) {
    for (const { ancestorTitles, title, status } of testResults) {
      this.#tests.push({ title: [...ancestorTitles, title].join(' '), passed: status === 'passed' });
    }
  }

  async onRunComplete(_contexts, results) {
    if (isFiltered(this.#run) || results.wasInterrupted) return;
    const problem = await this.#findProblem();
    if (problem === undefined) return;
    results.numFailedTests += 1;
    results.numTotalTests += 1;
    results.success = false;
    process.stderr.write(`\n${problem}\n\n`);
  }

  /** Jest does not compile its reporters: tsx does, and steps aside again. */
  async #findProblem() {
    const unregister = register();
    try {
      const { requirements } = await import(this.#table);
      const { describeGaps, findGaps } = await import('./requirement-coverage.ts');
      const ids = requirements.map(({ id }) => id);
      return describeGaps(findGaps(ids, this.#tests));
    } finally {
      await unregister();
    }
  }
}
