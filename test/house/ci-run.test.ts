import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../support/house/project-files.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** The other programs that the check runs. Here they do nothing. */
const programs = ['npx', 'sh', 'bwrap'];

describe('[house.last-line] .ci/run', () => {
  let directory: string;

  beforeEach(() => {
    directory = makeTemporaryDirectory('ci-run');
    mkdirSync(join(directory, 'bin'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  function program(name: string, body: string): void {
    writeFileSync(join(directory, 'bin', name), `#!/usr/bin/env bash\n${body}\n`, { mode: 0o755 });
  }

  function run(npm: string): { code: number | null; lastLines: string[] } {
    for (const name of programs) program(name, 'true');
    program('npm', `case "$*" in ${npm} ;; *) true ;; esac`);
    const { status, stdout } = spawnSync(join(projectRoot, '.ci/run'), {
      env: {
        PATH: `${join(directory, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
        TMPDIR: directory,
      },
      encoding: 'utf8',
    });
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { code: status, lastLines: lines.slice(-2) };
  }

  it.each([
    ['passes', `test) echo '4 passed, 0 failed'`, 0, ['== npm test', '4 passed, 0 failed']],
    [
      'has a failed test',
      `test) echo '3 passed, 1 failed'; exit 1`,
      1,
      ['== npm test', '3 passed, 1 failed'],
    ],
    ['fails before the tests', `'run check') exit 2`, 1, ['npm run check failed.', '0 passed, 1 failed']],
    [
      'cannot set up the tests',
      `test) echo no server; exit 1`,
      1,
      ['npm test failed.', '0 passed, 1 failed'],
    ],
    ['runs no test', `test) true`, 1, ['npm test failed.', '0 passed, 1 failed']],
  ])('ends with the test counts when it %s', (_, npm, code, lastLines) => {
    expect(run(npm)).toEqual({ code, lastLines });
  });
});
