import { readFileSync } from 'node:fs';

/** What the run's setup tells the test files, through a file that `PERDURE_TEST_STATE` names. */
export interface TestState {
  /** Removed at the end of the run, and what runs on data in it is ended. */
  readonly directory: string;
  /** Removed likewise: it has the database's files and log. In memory where there is room. */
  readonly dataDirectory: string;
  /** Of a superuser, to the server's own database. */
  readonly adminUrl: string;
  /** Of the role that worker and server have in an embedded stack, to the same database. */
  readonly programsUrl: string;
  /** A database with all migrations run; nobody may stay connected to it. */
  readonly template: string;
  /** True when the server can make the extension `vector`. */
  readonly vector: boolean;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly binary: string };
  /** The file with the workflows' bundle. */
  readonly bundle: string;
  /** Compiled, because tests start each of them many times. */
  readonly programs: Readonly<Record<'worker' | 'server' | 'killableWorker', string>>;
  /** A random text that tests put into contents, and that no history may hold: `runCanary`. */
  readonly canary: string;
  /** Why a part could not be made: it fails the tests that need the part, and no others. */
  readonly failures: Readonly<Partial<Record<'template' | 'bundle' | 'programs', string>>>;
}

const variable = 'PERDURE_TEST_STATE';

/** Called by the setup, before jest starts the processes that run the tests. */
export function announceTestState(file: string): void {
  process.env[variable] = file;
}

/** The file of a program that is started many times. Throws what the compiler threw, if it failed. */
export function compiledProgram(name: keyof TestState['programs']): string {
  const { programs, failures } = readTestState();
  if (failures.programs !== undefined)
    throw new Error(`The programs could not be compiled: ${failures.programs}`);
  return programs[name];
}

/** It is the same for the whole run, and asked for with every message of a test. */
let known: TestState | undefined;

/** Throws when the run was started without the setup, or when it did not start the servers. */
export function readTestState(): TestState {
  const file = process.env[variable];
  if (file === undefined) throw new Error('The test servers do not run: start the tests with `npm test`.');
  known ??= JSON.parse(readFileSync(file, 'utf8')) as TestState;
  return known;
}
