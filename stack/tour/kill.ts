import type { Supervised } from '../supervisor.js';
import type { TourApi } from './api.js';
import type { Screen } from './screen.js';
import { showTurn, type ShownTurn } from './show-turn.js';

/** The worker process that is killed and comes back. */
export type Victim = Pick<Supervised, 'pid' | 'kill' | 'whenReady'>;

/** A turn whose worker was killed in the middle. */
export interface InterruptedTurn extends ShownTurn {
  /** How many of its messages were seen when the worker was killed; undefined where it was not killed. */
  readonly seenBefore: number | undefined;
  /** Whether the turn was unfinished then, as the API shows it. */
  readonly wasRunning: boolean;
}

interface Deps {
  readonly api: TourApi;
  readonly screen: Screen;
  readonly worker: Victim;
}

/** As `showTurn`, but the worker is killed as soon as the turn's first tool result comes by. Waits for its successor. */
export async function interruptTurn(
  { api, screen, worker }: Deps,
  said: { readonly agentId: string; readonly text: string },
): Promise<InterruptedTurn> {
  let seenBefore: number | undefined;
  let aftermath = Promise.resolve(false);
  const turn = await showTurn({ api, screen }, said, {
    onResult: ({ runId, messages }) => {
      if (seenBefore !== undefined) return;
      seenBefore = messages;
      aftermath = killWorker({ api, screen, worker }, runId);
      // A failure of the turn itself is told first.
      aftermath.catch(() => undefined);
    },
  });
  return { ...turn, seenBefore, wasRunning: await aftermath };
}

async function killWorker({ api, screen, worker }: Deps, runId: string): Promise<boolean> {
  const { pid } = worker;
  const killedAt = Date.now();
  worker.kill('SIGKILL');
  screen.entry('kill -9', `worker process ${pid ?? 'unknown'}, in the middle of the turn`);
  const { status } = await api.run(runId);
  screen.aside(`No worker runs now; the run is ${status}, and its stream stays open`);
  await worker.whenReady();
  const seconds = ((Date.now() - killedAt) / 1_000).toFixed(1);
  screen.aside(`Worker process ${worker.pid ?? 'unknown'} is up after ${seconds} s and takes the turn over`);
  return status === 'running';
}
