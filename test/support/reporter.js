import { writeSync } from 'node:fs';

/** Ends the output of a run with `N passed, N failed`, after everything that jest and its reporters have to say. */
export default class LastLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
    // Jest still writes after its reporters (the teardown, a warning of open handles), but not while the process exits.
    process.once('exit', () => writeWhole(line));
  }
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
