import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './project-files.js';

/** A run of jest within a test. */
export interface NestedRun {
  /** Taken for a project of its own. */
  readonly directory: string;
  /** The only file of tests: plain JavaScript. */
  readonly tests: string;
  /** The folder within `test` that it is put into. */
  readonly folder?: string;
  /** Files of `test/support` with their options; the reporter of the last line follows them. */
  readonly reporters: readonly (readonly [file: string, options: object])[];
  /** Options of jest that choose tests. */
  readonly filter?: readonly string[];
}

export interface NestedOutcome {
  readonly code: number;
  readonly lastLine: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs jest with the project’s reporters on one file of tests. */
export async function runNestedJest(run: NestedRun): Promise<NestedOutcome> {
  const { directory, folder = '.', filter = [] } = run;
  mkdirSync(join(directory, 'test', folder), { recursive: true });
  writeFileSync(join(directory, 'test', folder, 'some.test.js'), run.tests);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  const support = join(projectRoot, 'test', 'support');
  const config = {
    rootDir: directory,
    testEnvironment: 'node',
    transform: {},
    setupFilesAfterEnv: [join(support, 'second-try.js')],
    reporters: [
      ...run.reporters.map(([file, options]) => [join(support, file), options]),
      join(support, 'reporter.js'),
    ],
  };
  const jest = join(projectRoot, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = [jest, '--config', JSON.stringify(config), '--runInBand', '--cache=false', ...filter];
  const { code, stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--experimental-vm-modules', '--no-warnings', ...options],
    {
      cwd: directory,
      // The outer run's own variables would be taken for this one's.
      env: { ...process.env, JEST_WORKER_ID: undefined, NODE_OPTIONS: undefined },
    },
  ).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  return { code, lastLine: stdout.split('\n').at(-2), stdout, stderr };
}
