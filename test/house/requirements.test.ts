import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { requirements } from '../requirements.js';
import { projectRoot } from '../support/project-files.js';
import { citedIds, findGaps } from '../support/requirement-coverage.js';
import { makeTemporaryDirectory } from '../support/temporary.js';

const execute = promisify(execFile);

describe('the table of requirements', () => {
  it('has ids that titles can cite, each once, and a sentence for each', () => {
    const ids = requirements.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => citedIds(`[${id}] a behaviour`)[0] !== id)).toEqual([]);
    expect(requirements.filter(({ behaviour }) => !/^\S.*\.$/.test(behaviour))).toEqual([]);
  });

  it('is compared with what passed, not with what is written', () => {
    const gaps = findGaps(
      ['a.one', 'a.two', 'a.three'],
      [
        { title: 'group [a.one] does it', passed: true },
        { title: '[a.two] [a.four] does not', passed: false },
      ],
    );
    expect(gaps).toEqual({ unshown: ['a.two', 'a.three'], unknown: ['a.four'] });
  });
});

describe('[house.requirements] [house.last-line] a run of the tests', () => {
  let directory: string;

  beforeAll(() => {
    directory = makeTemporaryDirectory('requirements');
    mkdirSync(join(directory, 'test'));
    const table = `export const requirements = [{ id: 'a.one' }, { id: 'a.two' }];`;
    writeFileSync(join(directory, 'table.ts'), table);
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  });

  /** Runs jest with the project’s reporters on one file of tests; gives its exit code and the end of its output. */
  async function run(tests: string, ...filter: string[]) {
    writeFileSync(join(directory, 'test', 'some.test.js'), tests);
    const support = join(projectRoot, 'test', 'support');
    const config = {
      rootDir: directory,
      testEnvironment: 'node',
      transform: {},
      reporters: [
        [join(support, 'requirements-reporter.js'), { table: join(directory, 'table.ts') }],
        join(support, 'reporter.js'),
      ],
    };
    const jest = join(projectRoot, 'node_modules', 'jest', 'bin', 'jest.js');
    const options = [jest, '--config', JSON.stringify(config), '--runInBand', '--cache=false', ...filter];
    const outcome = await execute(
      process.execPath,
      ['--experimental-vm-modules', '--no-warnings', ...options],
      {
        cwd: directory,
        // The outer run's own variables would be taken for this one's.
        env: { ...process.env, JEST_WORKER_ID: undefined, NODE_OPTIONS: undefined },
      },
    ).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
    return { code: outcome.code, lastLine: outcome.stdout.split('\n').at(-2), stderr: outcome.stderr };
  }

  it('passes when passed tests show all requirements', async () => {
    const outcome = await run(`it('[a.one] x', () => {}); describe('[a.two]', () => it('y', () => {}));`);
    expect(outcome).toMatchObject({ code: 0, lastLine: '2 passed, 0 failed' });
  });

  it('fails, as one test more, when a requirement is not shown or does not exist', async () => {
    const outcome = await run(`it('[a.one] x', () => {}); it('[a.three] y', () => {});`);
    expect(outcome).toMatchObject({ code: 1, lastLine: '2 passed, 1 failed' });
    expect(outcome.stderr).toContain('1 requirements are shown by no passed test:\n  a.two\n');
    expect(outcome.stderr).toContain('1 cited ids are not in test/requirements.ts:\n  a.three\n');
  });

  it('does not take a failed or a skipped test for a proof', async () => {
    const outcome = await run(
      `it('[a.one] x', () => { throw new Error('no'); }); it.skip('[a.two] y', () => {});`,
    );
    expect(outcome).toMatchObject({ code: 1, lastLine: '0 passed, 2 failed, 1 skipped' });
    expect(outcome.stderr).toContain('2 requirements are shown by no passed test:\n  a.one\n  a.two\n');
  });

  it('says nothing when only a part of the tests was asked for', async () => {
    const outcome = await run(`it('[a.one] x', () => {});`, '--testNamePattern', 'x');
    expect(outcome).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed', stderr: '' });
  });
});
