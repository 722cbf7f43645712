import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { measured, requirements } from '../requirements.js';
import { runNestedJest } from '../support/nested-jest.js';
import { packageScripts, readProjectFile } from '../support/project-files.js';
import { citedIds, findGaps } from '../support/requirement-coverage.js';
import { makeTemporaryDirectory } from '../support/temporary.js';

describe('the table of requirements', () => {
  it('has ids that titles can cite, each once, and a sentence for each', () => {
    const promises = [...requirements, ...measured];
    const ids = promises.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => citedIds(`[${id}] a behaviour`)[0] !== id)).toEqual([]);
    expect(promises.filter(({ behaviour }) => !/^\S.*\.$/.test(behaviour))).toEqual([]);
  });

  it('names a part of the bench for each promise that is measured', () => {
    expect(packageScripts()).toHaveProperty('bench');
    const bench = readProjectFile('bench/main.ts');
    for (const { command } of measured) {
      const part = /^npm run bench -- (\w+)$/.exec(command)?.[1] ?? '';
      expect([command, new RegExp(`\\b${part}: bench|'${part}'`).test(bench)]).toEqual([command, true]);
    }
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
    const table = `export const requirements = [{ id: 'a.one' }, { id: 'a.two' }];`;
    writeFileSync(join(directory, 'table.ts'), table);
  });

  const run = (tests: string, ...filter: string[]) =>
    runNestedJest({
      directory,
      tests,
      filter,
      reporters: [['requirements-reporter.js', { table: join(directory, 'table.ts') }]],
    });

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

  it('[house.failures] says once more at its end what failed, and why', async () => {
    const { stdout } = await run(
      `describe('a group', () => { it('[a.one] x', () => { throw new TypeError('no\\n\\nsuch\\nthing'); }); });
       it('y', () => {});`,
    );
    expect(stdout).toMatch(
      new RegExp(
        [
          '\\nWhat failed:\\n',
          'test/some\\.test\\.js › a group › \\[a\\.one\\] x',
          '    TypeError: no',
          '    such',
          '    thing',
          '    +at .*some\\.test\\.js:1:\\d+\\)?(\\n    .*)*\\n',
          '2 requirements are shown by no passed test:',
          '      a\\.one',
          '      a\\.two\\n',
          '1 passed, 2 failed\\n$',
        ].join('\\n'),
      ),
    );
    const broken = await run(`import './missing.js';`);
    expect(broken.stdout).toMatch(/\nWhat failed:\n\ntest\/some\.test\.js\n(\s+.*\n)*\s+.*missing\.js/);
  });

  it('does not take a failed or a skipped test for a proof', async () => {
    const outcome = await run(
      `it('[a.one] x', () => { throw new Error('no'); }); it.skip('[a.two] y', () => {});`,
    );
    expect(outcome).toMatchObject({ code: 1, lastLine: '0 passed, 2 failed, 1 skipped' });
    expect(outcome.stderr).toContain('2 requirements are shown by no passed test:\n  a.one\n  a.two\n');
  });

  it('gives tests with processes a second try, and names those that needed it [house.second-try]', async () => {
    const tests = `let tries = 0; it('[a.one] [a.two] x', () => { tries += 1; expect(tries).toBe(2); });`;
    const once = await runNestedJest({ directory: makeTemporaryDirectory('tries'), tests, reporters: [] });
    expect(once).toMatchObject({ code: 1, lastLine: '0 passed, 1 failed' });

    const directory = makeTemporaryDirectory('tries');
    const twice = await runNestedJest({ directory, folder: 'system', tests, reporters: [] });
    expect(twice).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed' });
    const named =
      '\nWhat passed at its second try:\n\ntest/system/some.test.js › [a.one] [a.two] x\n\n1 passed, 0 failed\n';
    expect(twice.stdout.endsWith(named)).toBe(true);

    const never = `it('x', () => { expect(1).toBe(2); });`;
    const fails = await runNestedJest({ directory, folder: 'system', tests: never, reporters: [] });
    expect(fails).toMatchObject({ code: 1, lastLine: '0 passed, 1 failed' });
  });

  it('says nothing when only a part of the tests was asked for', async () => {
    const outcome = await run(`it('[a.one] x', () => {});`, '--testNamePattern', 'x');
    expect(outcome).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed', stderr: '' });
  });
});
