import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { endOf, packageFile, spawnProgram } from '../../stack/processes.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

describe('[stack.stop] a signal', () => {
  it.each([
    ['ends the program with 0 once its stack has stopped', 'Promise.resolve()', 0, 'Stopped.'],
    [
      'ends it with 1 where its stack does not stop',
      `Promise.reject(new Error('It hangs.'))`,
      1,
      'It hangs.',
    ],
  ])('%s', async (_what, end, code, said) => {
    const directory = makeTemporaryDirectory('signals');
    const entry = join(directory, 'program.mts');
    const logFile = join(directory, 'program.log');
    const signals = JSON.stringify(packageFile('stack/signals.ts'));
    writeFileSync(
      entry,
      `import { stopOnSignals } from ${signals};
      stopOnSignals(console.log).hold({ stop: () => ${end}, kill: () => undefined });
      setInterval(() => undefined, 1_000);
      process.send?.({ ready: true });`,
    );
    const { child } = spawnProgram({ name: 'program', entry, env: process.env, logFile });
    await new Promise((resolve) => child.once('message', resolve));

    child.kill('SIGINT');

    expect(await endOf(child)).toBe(code);
    expect(readFileSync(logFile, 'utf8')).toContain(said);
  });
});
