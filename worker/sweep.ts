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

export interface SweepDeps {
  readonly db: Db;
  readonly bell: Bell;
  readonly partners: PartnerBell;
  readonly schedules: ScheduleSync;
  /** Told of every bell that could not be rung; the next sweep rings it again. */
  readonly onFailed?: (error: unknown) => void;
}

/**
 * Wakes threads whose bell was lost (the sender died between its rows and its ring) or whose execution is gone while
 * its turn is unfinished (terminated, lost, a restored database), and removes what has had its time. Returns how many
 * it woke. One worker at a time sweeps; a bell that fails keeps no other from ringing.
 */
export async function sweep(deps: SweepDeps): Promise<number> {
  // A session's lock and no transaction: what waits for Temporal must not hold the database.
  return deps.db.connection().execute(async (session) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${sweepLock}) as mine`.execute(
      session,
    );
    if (rows[0]?.mine !== true) return 0;
    try {
      return await sweepAlone(deps);
    } finally {
      await sql`select pg_advisory_unlock(${sweepLock})`.execute(session);
    }
  });
}

async function sweepAlone({ db, bell, partners, schedules, onFailed }: SweepDeps): Promise<number> {
  let woken = 0;
  const ringAll = async <T>(all: readonly T[], ring: (one: T) => Promise<void>): Promise<void> => {
    for (const one of all) await ring(one).catch((error: unknown) => onFailed?.(error));
  };
  await ringAll(await threadsToWake(db, patienceMs), async (thread) => {
    if (await bell.isAwake(thread.threadId)) return;
    await bell.ring(thread);
    woken += 1;
  });
  await ringAll(await unheardCalls(db, patienceMs), (call) => bell.reply(call));
  // Rows ask for refinements, and this is what hears them: a turn that asked does not wait for it.
  await ringAll(await partnersToWake(db), (partnerId) => partners.wake(partnerId));
  await ringAll([schedules], (sync) => sync.catchUp());
  const dead = new Date(Date.now() - graveMs);
  await db.transaction().execute(async (tx) => {
    await purgeDeleted(tx, dead);
    await purgeDeletedConversations(tx, dead);
  });
  await pruneEvents(db, new Date(Date.now() - fragmentsKeptMs));
  return woken;
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
      const onFailed = (error: unknown): void => {
        deps.log.warn('A bell could not be rung; the next sweep rings it again.', { error });
      };
      const woken = await sweep({ ...deps, onFailed });
      if (woken > 0) deps.log.warn(`Woke ${woken} threads that had lost their bell or their execution.`);
      const files = await sweepFiles(deps);
      if (files > 0) deps.log.warn(`Took up ${files} files that nobody worked on.`);
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
