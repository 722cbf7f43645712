import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { compileForRun } from '../support/run/compiled.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs an example without a stack. */
async function runExample(file: string, model: string): Promise<Ended> {
  const program = await compileForRun(file);
  const env = {
    ...process.env,
    ...{ PERDURE_HOME: makeTemporaryDirectory('example'), PERDURE_MODEL: model },
    ...{ DATABASE_URL: '', TEMPORAL_ADDRESS: '' },
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program],
      { env, cwd: packageFile('.') },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode, said: stdout + stderr });
      },
    );
  });
}

const none = /^This example needs a model that calls tools, and none is set: .*PERDURE_MODEL=/;
const demo = /^This example needs a model that calls tools, and .*perdure\/demo only follows a few rules/;

describe('[house.examples-say] an example that needs a model', () => {
  it.each([
    ['conscious-and-subconscious.ts', '', none],
    ['task-list/main.ts', '', none],
    ['task-memory.ts', 'perdure/demo', demo],
  ])('reports a missing or unsuitable model first: %s with %j', async (file, model, sentence) => {
    const { code, said } = await runExample(`examples/${file}`, model);

    expect(code).toBe(1);
    expect(said).toMatch(sentence);
  });
});
