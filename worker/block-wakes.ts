import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../activities/deps.js';
import type { Bell } from '../client/bell.js';
import type { BlockListener } from '../client/block-listener.js';
import { agentsToWake, wakeForBlocks } from '../schema/blocks/wakes.js';
import type { Db } from '../schema/db/database.js';
import { releaseUpkeep, takeUpkeep } from '../schema/db/upkeep-turns.js';

interface WakingDeps {
  readonly db: Db;
  readonly bell: Bell;
}

const holder = randomUUID();
/** For how long one worker has the waking to itself at most, in ms. */
const holdMs = 30_000;

/** Wakes the agents that asked to be told of blocks that changed. Returns whether this worker was the one to do it. */
async function wakeAgents({ db, bell }: WakingDeps): Promise<boolean> {
  const name = 'block wakes';
  const taken = await takeUpkeep(db, { names: [name], holder, everyMs: gatherMs, holdMs });
  if (taken.length === 0) return false;
  try {
    await wakeAll({ db, bell });
  } finally {
    await releaseUpkeep(db, name, holder);
  }
  return true;
}

async function wakeAll({ db, bell }: WakingDeps): Promise<void> {
  for (const agentId of await agentsToWake(db)) {
    if (!(await wakeForBlocks(db, agentId))) continue;
    // A ring that is lost here is rung again by the sweep, as every other.
    await bell.ring({ threadId: agentId, agentId });
  }
}

/** How long an agent waits to be woken where no hint came, in ms. */
const pollMs = 2_000;
/** Changes that come within this time make one message, in ms. */
const gatherMs = 250;

/** Wakes agents as blocks change, until stopped. Waits for the round under way. */
export function startWaking(deps: WakingDeps & { listener: BlockListener; log: Log }): () => Promise<void> {
  const stop = new AbortController();
  let isRepeated = false;
  const round = async (): Promise<void> => {
    const hint = deps.listener.next(undefined, { withinMs: pollMs, signal: stop.signal });
    const isMine = await wakeAgents(deps).catch((error: unknown) => {
      deps.log.error('Waking agents for their blocks failed; the next round tries again.', { error });
      return true;
    });
    // Another worker looked, perhaps before the change that this one heard of: it is asked for once more.
    const again = !isMine && !isRepeated;
    if (!again) await hint;
    isRepeated = again;
    // Ends early only where it is told to stop.
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
