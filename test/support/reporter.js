import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { addedFailures } from './reporting.js';

/** Of a failure's message: it says what was expected and what came, and where. */
const linesOfAFailure = 16;

/**
 * Ends the output of a run with `N passed, N failed`, after everything that jest and its reporters have to say. Above it
 * stands once more what failed, and what passed at its second try alone: whoever sees but the end of a long log learns why.
 */
export default class LastLineReporter {
  #root;

  constructor(globalConfig) {
    this.#root = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
    const failures = results.testResults.flatMap((file) => this.#failuresOf(file)).concat(addedFailures);
    const late = results.testResults.flatMap((file) => this.#passedLateIn(file));
    const said = [
      section('What passed at its second try', late),
      section('What failed', failures.map(shorten)),
      line,
    ];
    // Jest still writes after its reporters (the teardown, a warning of open handles), but not while the process exits.
    process.once('exit', () => writeWhole(said.join('')));
  }

  #passedLateIn({ testFilePath, testResults }) {
    return testResults
      .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
      .map((test) => this.#nameOf(testFilePath, test));
  }

  #nameOf(testFilePath, { ancestorTitles, title }) {
    return [relative(this.#root, testFilePath), ...ancestorTitles, title].join(' › ');
  }

  #failuresOf({ testFilePath, testExecError, failureMessage, testResults }) {
    if (testExecError !== undefined) return [`${relative(this.#root, testFilePath)}\n${failureMessage}`];
    return testResults
      .filter(({ status }) => status === 'failed')
      .map((test) => `${this.#nameOf(testFilePath, test)}\n${test.failureMessages.join('\n')}`);
  }
}

function section(title, entries) {
  return entries.length === 0 ? '' : `\n${title}:\n\n${entries.map((entry) => `${entry}\n\n`).join('')}`;
}

function shorten(failure) {
  const [name, ...lines] = stripVTControlCharacters(failure)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*(node_modules|node:internal)/.test(line));
  return [name, ...lines.slice(0, linesOfAFailure).map((line) => `    ${line}`)].join('\n');
}

function writeWhole(text) {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (error.code === 'EPIPE') return;
      // A full pipe says so instead of waiting, and at this moment nothing else can be done meanwhile.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
