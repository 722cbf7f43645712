import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the benchmark that runs in its own process. */
export interface Child<Ready> {
  readonly process: ChildProcess;
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** Starts a TypeScript file of this folder. Resolves with its first message. Throws if it ends before that. */
export async function startChild<Ready>(file: string, args: readonly string[] = []): Promise<Child<Ready>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it was ready.`);
  });
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [Ready];
  ended.catch(() => undefined);
  return {
    process: child,
    ready,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
