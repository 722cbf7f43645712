import { describe, expect, it } from '@jest/globals';
import { measured, requirements } from '../requirements.js';
import { packageScripts, projectRoot, readProjectFile } from '../support/house/project-files.js';
import { citedIds, describeGaps, findGaps } from '../support/run/requirement-coverage.js';

describe('the table of requirements', () => {
  it('has unique ids that titles can cite, and a sentence for each', () => {
    const promises = [...requirements, ...measured];
    const ids = promises.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => citedIds(`[${id}] a behaviour`)[0] !== id)).toEqual([]);
    expect(promises.filter(({ behaviour }) => !/^\S.*\.$/.test(behaviour))).toEqual([]);
  });

  it('names a part of the bench for each measured promise', () => {
    expect(packageScripts()).toHaveProperty('bench');
    const bench = readProjectFile('bench/main.ts');
    for (const { command } of measured) {
      const part = /^npm run bench -- (\w+)$/.exec(command)?.[1] ?? '';
      expect([command, new RegExp(`\\b${part}: bench|'${part}'`).test(bench)]).toEqual([command, true]);
    }
  });

  it('is compared with the tests that passed, not with those that exist', () => {
    const gaps = findGaps(
      ['a.one', 'a.two', 'a.three', 'a.five'],
      [
        { title: '[a.five] needs a browser', passed: false, skipped: true },
        { title: 'group [a.one] does it', passed: true },
        { title: '[a.two] [a.four] does not', passed: false },
      ],
    );
    expect(gaps).toEqual({ unshown: ['a.two', 'a.three'], unknown: ['a.four'] });
  });
});

describe('[house.requirements] the coverage of a run', () => {
  it('names requirements without a passed test, and unknown ids', () => {
    const tests = [
      { title: '[a.one] x', passed: true },
      { title: '[a.three] y', passed: true },
    ];

    expect(describeGaps(findGaps(['a.one', 'a.two'], tests))).toBe(
      '1 requirements are shown by no passed test:\n  a.two\n1 cited ids are not in test/requirements.ts:\n  a.three',
    );
    expect(describeGaps(findGaps(['a.one', 'a.three'], tests))).toBeUndefined();
  });
});

describe('the report of a run', () => {
  const results = {
    ...{
      numPassedTests: 3,
      numFailedTests: 2,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 1,
      numTodoTests: 0,
    },
    testResults: [
      {
        testFilePath: '/project/test/some.test.ts',
        testResults: [
          { status: 'passed', ancestorTitles: [], title: 'v' },
          { status: 'passed', ancestorTitles: [], title: 'w' },
          { status: 'pending', ancestorTitles: ['without bubblewrap'], title: 'x' },
          {
            ...{ status: 'failed', ancestorTitles: ['a group'], title: 'y' },
            failureMessages: ['TypeError: no\n\nsuch\n    at node:internal/modules'],
          },
        ],
      },
      {
        ...{ testFilePath: '/project/test/other.test.ts', testResults: [] },
        ...{ testExecError: {}, failureMessage: 'It does not load.' },
      },
    ],
  };

  it('[house.failures] [house.last-line] names skipped and failed tests with their errors, and counts all', async () => {
    const { describeEnd } = (await import(`${projectRoot}/test/support/run/reporter.js`)) as {
      readonly describeEnd: (root: string, results: object, added: readonly string[]) => string;
    };

    expect(describeEnd('/project', results, ['One more.'])).toBe(
      [
        '\nWhat was skipped:\n\ntest/some.test.ts › without bubblewrap › x\n\n',
        '\nWhat failed:\n\ntest/some.test.ts › a group › y\n    TypeError: no\n    such\n\n',
        'test/other.test.ts\n    It does not load.\n\nOne more.\n\n3 passed, 3 failed, 1 skipped\n',
      ].join(''),
    );
  });
});
