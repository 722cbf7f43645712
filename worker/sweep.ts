import { sql } from 'kysely';
import type { Bell } from '../client/bell.js';
import type { PartnerBell } from '../client/partner-bell.js';
import type { ScheduleSync } from '../client/schedule-sync.js';
import type { Db } from '../schema/database.js';
import { unheardCalls } from '../schema/edges.js';
import { partnersToWake } from '../schema/refinement-requests.js';
import { threadsToWake } from '../schema/sweeping.js';
import { purgeDeleted } from '../schema/agent-purge.js';
import { purgeDeletedConversations } from '../schema/conversations.js';
import { pruneEvents } from '../schema/turn-events.js';
import type { Ingestions } from '../client/ingestions.js';
import { quietFiles } from '../schema/ingestion.js';
import type { Log } from '../activities/deps.js';

/** A delivery that nobody took for this long has lost its bell; a turn silent for as long may have lost its execution. */
const patienceMs = 5_000;

/** Fragments of answers are kept this long after their turn's end, in ms. */
const fragmentsKeptMs = 3 * 60 * 60 * 1000;

/** Rows of a deleted agent or conversation stay for this long, so that what still runs for it ends in order. */
const graveMs = 60_000;

/** Any number that no other advisory lock of ours has: it names the sweep. */
const sweepLock = 7_260_114;

/**
 * Wakes threads whose bell was lost (the sender died between its rows and its ring) or whose execution is gone while
 * its turn is unfinished (terminated, lost, a restored database). Returns how many. One worker at a time sweeps.
 */
export async function sweep(deps: {
  db: Db;
  bell: Bell;
  partners: PartnerBell;
  schedules: ScheduleSync;
}): Promise<number> {
  return deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{
      mine: boolean;
    }>`select pg_try_advisory_xact_lock(${sweepLock}) as mine`.execute(tx);
    if (rows[0]?.mine !== true) return 0;
    let woken = 0;
    for (const thread of await threadsToWake(tx, patienceMs)) {
      if (await deps.bell.isAwake(thread.threadId)) continue;
      await deps.bell.ring(thread);
      woken += 1;
    }
    for (const call of await unheardCalls(tx, patienceMs)) await deps.bell.reply(call);
    const dead = new Date(Date.now() - graveMs);
    // Rows ask for refinements, and this is what hears them: a turn that asked does not wait for it.
    for (const partnerId of await partnersToWake(tx)) await deps.partners.wake(partnerId);
    await deps.schedules.catchUp();
    await purgeDeleted(tx, dead);
    await purgeDeletedConversations(tx, dead);
    return woken;
  });
}

/** Starts the ingestion of files again whose execution is gone, or was never begun. Returns how many. */
export async function sweepFiles(deps: { db: Db; ingestions: Ingestions }): Promise<number> {
  let started = 0;
  for (const fileId of await quietFiles(deps.db, patienceMs)) {
    if (await deps.ingestions.isRunning(fileId)) continue;
    await deps.ingestions.start(fileId);
    started += 1;
  }
  return started;
}

/** Sweeps every few seconds until stopped. Waits for the sweep under way. */
export function startSweeping(deps: {
  db: Db;
  bell: Bell;
  partners: PartnerBell;
  ingestions: Ingestions;
  schedules: ScheduleSync;
  log: Log;
  everyMs?: number;
}): () => Promise<void> {
  let running: Promise<void> | undefined;
  const once = async (): Promise<void> => {
    try {
      const woken = await sweep(deps);
      if (woken > 0) deps.log.warn(`Woke ${woken} threads that had lost their bell or their execution.`);
      const files = await sweepFiles(deps);
      if (files > 0) deps.log.warn(`Took up ${files} files that nobody worked on.`);
      await pruneEvents(deps.db, new Date(Date.now() - fragmentsKeptMs));
    } catch (error) {
      deps.log.error('The sweep failed; the next one tries again.', { error });
    }
  };
  const timer = setInterval(
    () => {
      running ??= once().finally(() => {
        running = undefined;
      });
    },
    deps.everyMs ?? patienceMs / 2,
  );
  return async () => {
    clearInterval(timer);
    await running;
  };
}
