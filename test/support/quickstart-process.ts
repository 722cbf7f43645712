import { spawn } from 'node:child_process';
import { readStackFile, type StackFile } from '../../adapters/settings/endpoints.js';
import { endOf, packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { plainEnvironment } from './plain-environment.js';
import { readTestState } from './run/test-state.js';

/** The quickstart as a user has it in a terminal. */
export interface QuickstartProcess {
  /** What it wrote, both streams. */
  readonly output: () => string;
  readonly ended: Promise<number | NodeJS.Signals | Error>;
  /** Resolves when the tour is over and it stays up; throws with its output when it ends instead. */
  readonly up: () => Promise<StackFile>;
  /** As Ctrl-C in the terminal: the whole group gets the signal. Resolves when all of it is gone. */
  readonly interrupt: () => Promise<unknown>;
}

/** On an idle machine it takes ten seconds; the tests beside it may leave it little of one. */
const upPatienceMs = 170_000;

/** Starts a command on a data directory, with embedded servers and any free port: in this clone, unless `cwd` says where. */
export function spawnQuickstart(
  home: string,
  [command = '', ...args]: readonly string[],
  { cwd = packageFile('.'), env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): QuickstartProcess {
  const own = { PERDURE_HOME: home, PORT: '0', TEMPORAL_CLI: readTestState().temporal.binary };
  const child = spawn(command, args, {
    cwd,
    env: { ...plainEnvironment(), ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let hasEnded = false;
  const ended = endOf(child).finally(() => {
    hasEnded = true;
  });
  const interrupt = (): Promise<unknown> => {
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    return ended;
  };
  return {
    output: () => output,
    ended,
    interrupt,
    up: async () => {
      const isUp = () => (hasEnded ? false : output.includes('Talk to the agent:') || undefined);
      const running =
        (await waitFor(isUp, { timeoutMs: upPatienceMs })) === true ? readStackFile(home) : undefined;
      if (running !== undefined) return running;
      await interrupt();
      throw new Error(`The quickstart does not come to its end:\n${output}`);
    },
  };
}
