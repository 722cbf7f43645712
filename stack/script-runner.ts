import { identifyProcess, isSameProcess } from '../adapters/settings/process-identity.js';
import { commandLine, parentOf } from './command-line.js';

const lookEveryMs = 1_000;

/**
 * Calls `onGone` when the npm script that runs this process (`npm start`) has ended: npm passes signals only to the shell
 * between, which ends without telling us, and kill -9 is not passed on at all. Without npm nothing is watched, because a
 * stack may outlive the terminal that it was started from.
 */
export function watchScriptRunner(onGone: () => void, env = process.env): void {
  if (env['npm_lifecycle_event'] === undefined) return;
  const runners = scriptRunners().map((pid) => ({ pid, identity: identifyProcess(pid) ?? '' }));
  const timer = setInterval(() => {
    if (runners.every(({ pid, identity }) => isSameProcess(pid, identity))) return;
    clearInterval(timer);
    onGone();
  }, lookEveryMs);
  timer.unref();
}

/** Our parent, and its parent where it is the shell of a script, `sh -c …`. */
function scriptRunners(): number[] {
  const parent = process.ppid;
  const isShell = commandLine(parent).split('\0')[1] === '-c';
  const above = isShell ? parentOf(parent) : undefined;
  return above === undefined ? [parent] : [parent, above];
}
