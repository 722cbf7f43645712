import { spawn } from 'node:child_process';
import { readStackFile, type StackFile } from '../../adapters/settings/endpoints.js';
import { variables } from '../../adapters/settings/variables.js';
import { endOf, packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { readTestState } from './run/test-state.js';

/** `npm run quickstart` as a user has it in a terminal. */
export interface QuickstartProcess {
  /** npm's, which is also the number of its group. */
  readonly pid: number;
  /** What it wrote, both streams. */
  readonly output: () => string;
  readonly ended: Promise<number | NodeJS.Signals | Error>;
  /** Resolves when the tour is over and it stays up; throws with its output when it ends instead. */
  readonly up: () => Promise<StackFile>;
  /** As Ctrl-C in the terminal: the whole group gets the signal. Resolves when all of it is gone. */
  readonly interrupt: () => Promise<unknown>;
  /** As `kill -9` of the whole group. */
  readonly kill: () => Promise<unknown>;
}

/** On an idle machine it takes ten seconds; the tests beside it may leave it little of one. */
const upPatienceMs = 150_000;

/** Starts it on a data directory, with embedded servers and any free port. */
export function spawnQuickstart(home: string, args: readonly string[]): QuickstartProcess {
  const child = spawn('npm', ['run', '--silent', 'quickstart', '--', ...args], {
    cwd: packageFile('.'),
    env: {
      ...process.env,
      // What is read back is plain text, also where CI asks for colours.
      NO_COLOR: '1',
      // Variables that are set to nothing count as not set, whatever the developer's shell or .env says.
      ...Object.fromEntries(Object.keys(variables.shape).map((name) => [name, ''])),
      NODE_OPTIONS: '',
      PERDURE_HOME: home,
      PORT: '0',
      TEMPORAL_CLI: readTestState().temporal.binary,
    },
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
  const signal = (name: 'SIGINT' | 'SIGKILL'): Promise<unknown> => {
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, name);
    return ended;
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    up: async () => {
      const isUp = () => (hasEnded ? false : output.includes('Talk to the agent:') || undefined);
      const running =
        (await waitFor(isUp, { timeoutMs: upPatienceMs })) === true ? readStackFile(home) : undefined;
      if (running === undefined) throw new Error(`The quickstart does not come to its end:\n${output}`);
      return running;
    },
    interrupt: () => signal('SIGINT'),
    kill: () => signal('SIGKILL'),
  };
}
