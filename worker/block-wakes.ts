import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../activities/deps.js';
import type { Bell } from '../client/bell.js';
import type { BlockListener } from '../client/block-listener.js';
import { agentsToWake, wakeForBlocks } from '../schema/turns/block-wakes.js';
import type { Db } from '../schema/db/database.js';
import { releaseChore, claimChores } from '../schema/db/chore-claims.js';

interface WakingDeps {
  readonly db: Db;
  readonly bell: Bell;
}

const holder = randomUUID();
/** How long a worker may hold this chore, in ms. */
const holdMs = 30_000;

/** Wakes agents whose blocks changed. Returns whether this worker did it. */
async function wakeAgents({ db, bell }: WakingDeps): Promise<boolean> {
  const name = 'block wakes';
  const taken = await claimChores(db, { names: [name], holder, everyMs: gatherMs, holdMs });
  if (taken.length === 0) return false;
  try {
    await wakeAll({ db, bell });
  } finally {
    await releaseChore(db, name, holder);
  }
  return true;
}

async function wakeAll({ db, bell }: WakingDeps): Promise<void> {
  for (const agentId of await agentsToWake(db)) {
    if (!(await wakeForBlocks(db, agentId))) continue;
    // If this signal is lost, the sweep sends it again.
    await bell.ring({ threadId: agentId, agentId });
  }
}

/** How long an agent waits to be woken without a hint, in ms. */
const pollMs = 2_000;
/** Changes within this time share one message, in ms. */
const gatherMs = 250;

/** Wakes agents as blocks change, until stopped. Stopping waits for the current round. */
export function startWaking(deps: WakingDeps & { listener: BlockListener; log: Log }): () => Promise<void> {
  const stop = new AbortController();
  let isRepeated = false;
  const round = async (): Promise<void> => {
    const hint = deps.listener.next(undefined, { withinMs: pollMs, signal: stop.signal });
    const isMine = await wakeAgents(deps).catch((error: unknown) => {
      deps.log.error('Agents could not be woken for their blocks. The next round tries again.', { error });
      return true;
    });
    // Another worker may have looked before the change that this one heard of, so it is repeated once.
    const again = !isMine && !isRepeated;
    if (!again) await hint;
    isRepeated = again;
    // Rejects only when stopped.
    await setTimeout(gatherMs, undefined, { signal: stop.signal }).catch(() => undefined);
  };
  const running = (async () => {
    while (!stop.signal.aborted) await round();
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
