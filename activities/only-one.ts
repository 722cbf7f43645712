import { startEffect } from '../schema/effects.js';
import type { Fence } from '../schema/fences.js';
import type { Effect } from '../schema/records.js';
import type { Work } from '../schema/work-in-hand.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import { type InHand, takeInHand, waitForOther } from './in-hand.js';
import type { Signals } from './keep-alive.js';

/** What a tool's run is given. */
interface Trial {
  /** Says that the tool is about to be tried. Returns how its effect stood: `started` where a try began and broke off. */
  readonly start: () => Promise<Effect['state']>;
  readonly signal: AbortSignal;
}

interface Call extends Signals {
  readonly fence: Fence;
  readonly effect: Effect;
}

interface Verdict {
  readonly status: 'success' | 'error';
}

/**
 * Runs a tool call that no other worker has in hand: `start` waits for another run of it, as there is one where Temporal
 * took a living worker for dead, and the result that it stored is this one's too. Throws Turn.Fenced.
 */
export async function onlyOne(
  deps: ActivityDeps,
  call: Call,
  run: (trial: Trial) => Promise<Verdict>,
): Promise<Verdict> {
  const lost = new AbortController();
  let inHand: InHand | undefined;
  const start = async (): Promise<Effect['state']> => {
    const before = await startAlone(deps, call);
    inHand = takeInHand(deps, { ...call, work: toWork(call.effect), lost });
    return before;
  };
  try {
    return await run({ start, signal: AbortSignal.any([call.signal, lost.signal]) });
  } catch (error) {
    if (error instanceof StoredMeanwhile) return { status: error.status };
    await inHand?.letGo();
    throw error;
  } finally {
    inHand?.end();
  }
}

/** Starts the effect once no living worker has it in hand. Throws StoredMeanwhile. */
async function startAlone(
  deps: ActivityDeps,
  { fence, effect, signal, forgotten }: Call,
): Promise<Effect['state']> {
  for (;;) {
    const found = await startEffect(deps.db, fence, { effectId: effect.id, worker: deps.presence.key() });
    if (found === undefined) throw fenced();
    const { before, status, worker } = found;
    if (before === 'done') throw new StoredMeanwhile(status ?? 'error');
    if (worker === null) return before;
    await waitForOther(deps, { fence, work: toWork(effect), worker, signal, forgotten });
  }
}

function toWork({ id }: Effect): Work {
  return { kind: 'tool', id };
}

class StoredMeanwhile extends Error {
  override readonly name = 'StoredMeanwhile';
  readonly status: Verdict['status'];

  constructor(status: Verdict['status']) {
    super('Another run of the call has stored its result.');
    this.status = status;
  }
}
