import { describe } from '@jest/globals';
import { openSandbox } from '../../../adapters/sandbox/open-sandbox.js';
import { type Isolation, SandboxError } from '../../../adapters/sandbox/sandbox.js';

/** Kinds of isolation, as settings that allow no other. */
export const sandboxModes = { bubblewrap: 'strict', process: 'process' } as const;

/** Stands in the names of the tests that are skipped. */
const needed = 'install bubblewrap and util-linux, and allow namespaces';

const isolates = await openSandbox({ mode: 'strict', warn: () => undefined }).then(
  () => true,
  (error: unknown) => {
    if (error instanceof SandboxError) return false;
    throw error;
  },
);

/** The best isolation that this machine has: for tests of tools that are about something else. */
export const bestIsolation: Isolation = isolates ? 'bubblewrap' : 'process';

/** A `describe` of tests that need bubblewrap. Where it does not work, they are skipped. */
export function describeIsolated(title: string, tests: () => void): void {
  if (isolates) describe(title, tests);
  else describe.skip(`${title} (${needed})`, tests);
}

/** A `describe` for each kind of isolation; `%s` in the title is its name. */
export function describeEachIsolation(title: string, tests: (isolation: Isolation) => void): void {
  describeIsolated(title.replace('%s', 'bubblewrap'), () => {
    tests('bubblewrap');
  });
  describe(title.replace('%s', 'process'), () => {
    tests('process');
  });
}
