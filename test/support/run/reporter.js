import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { addedFailures } from './reporting.js';

/** Of a failure's message: it says what was expected and what came, and where. */
const linesOfAFailure = 16;

/**
 * Ends the output of a run with `N passed, N failed`, after everything that jest and its reporters have to say. Above it
 * stands once more what failed and what was skipped, for readers who see only the end of a long log.
 */
export default class LastLineReporter {
  #root;

  constructor(globalConfig) {
    this.#root = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    const end = describeEnd(this.#root, results, addedFailures);
    // Jest still writes after its reporters (the teardown, a warning of open handles), but not while the process exits.
    process.once('exit', () => writeWhole(end));
  }
}

/** What stands at the end of a run: what was skipped, what failed and why, and the counts on a line of their own. */
export function describeEnd(root, results, added) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const nameOf = (file, { ancestorTitles, title }) =>
    [relative(root, file), ...ancestorTitles, title].join(' › ');
  const isSkipped = ({ status }) => status === 'pending' || status === 'todo';
  return [
    // Of a filtered run these are the tests that nobody asked for.
    ...(results.numPassedTests + failed > skipped
      ? [
          section(
            'What was skipped',
            results.testResults.flatMap(({ testFilePath, testResults }) =>
              testResults.filter(isSkipped).map((test) => nameOf(testFilePath, test)),
            ),
          ),
        ]
      : []),
    section(
      'What failed',
      results.testResults
        .flatMap((file) => failuresOf(file, root, nameOf))
        .concat(added)
        .map(shorten),
    ),
    `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
  ].join('');
}

function failuresOf({ testFilePath, testExecError, failureMessage, testResults }, root, nameOf) {
  if (testExecError !== undefined) return [`${relative(root, testFilePath)}\n${failureMessage}`];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map((test) => `${nameOf(testFilePath, test)}\n${test.failureMessages.join('\n')}`);
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
