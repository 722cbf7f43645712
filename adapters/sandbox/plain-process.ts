import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Launcher } from './sandbox.js';
import { startGuard } from './start-guard.js';

const nobody = 65_534;

/**
 * Programs as ordinary processes, with a directory, an environment and limits of their own, and as nobody where this
 * process is root. No protection against a malicious program.
 */
export function plainProcess(): Launcher {
  return {
    isolation: 'process',
    launch: ({ command }, { openFiles }) => {
      const directory = mkdtempSync(join(tmpdir(), 'perdure-tool-'));
      if (process.getuid?.() === 0) chownSync(directory, nobody, nobody);
      return {
        command: [...privileges(openFiles), ...command],
        directory,
        extraInputs: {},
        hasOwnFiles: false,
        end: () => {
          rmSync(directory, { recursive: true, force: true });
        },
      };
    },
  };
}

/** With util-linux, the program ends with this process, and drops root first. */
function privileges(openFiles: number): [] | [string, ...string[]] {
  if (!existsSync('/usr/bin/setpriv')) return [];
  const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const isRoot = process.getuid?.() === 0;
  return [
    'setpriv',
    ...(isRoot ? identity : []),
    '--no-new-privs',
    '--pdeathsig=KILL',
    '--',
    ...startGuard(openFiles),
  ];
}
