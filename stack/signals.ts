import type { OnProgress } from './progress.js';
import { watchScriptRunner } from './script-runner.js';
import type { Stack } from './stack.js';

/** How a command reacts to signals that ask it to end. */
export interface StackSignals {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** From now on the first signal stops this stack, and then the process. */
  hold(stack: Pick<Stack, 'stop' | 'kill'>): void;
}

/**
 * Ctrl-C, SIGTERM, a closed terminal and the end of npm (whose signals don't always arrive) stop the stack in order and end
 * the process. A second signal ends it at once; the next start takes over what is left.
 */
export function stopOnSignals(onProgress: OnProgress): StackSignals {
  const aborting = new AbortController();
  let held: Pick<Stack, 'stop' | 'kill'> | undefined;
  const stop = async (stack: Pick<Stack, 'stop'>): Promise<void> => {
    try {
      await stack.stop();
      onProgress('Stopped.');
      process.exit(0);
    } catch (error) {
      onProgress((error as Error).message);
      process.exit(1);
    }
  };
  const onSignal = (): void => {
    if (aborting.signal.aborted) {
      held?.kill();
      process.exit(130);
    }
    aborting.abort();
    onProgress('Stopping … (Ctrl-C again to stop at once)');
    if (held !== undefined) void stop(held);
  };
  watchScriptRunner(() => {
    if (!aborting.signal.aborted) onSignal();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    signal: aborting.signal,
    hold: (stack) => {
      held = stack;
      if (aborting.signal.aborted) void stop(stack);
    },
  };
}
