import { sql } from 'kysely';
import type { Bell } from '../client/bell.js';
import type { PartnerBell } from '../client/partner-bell.js';
import type { ScheduleSync } from '../client/schedule-sync.js';
import { type Db, inSession } from '../schema/database.js';
import { unheardCalls } from '../schema/edges.js';
import { partnersToWake } from '../schema/refinement-requests.js';
import { threadsToWake } from '../schema/sweeping.js';
import { purgeDeleted } from '../schema/agent-purge.js';
import { purgeDeletedConversations } from '../schema/conversations.js';
import { groupsToWake } from '../schema/talk-waking.js';
import { pruneEvents } from '../schema/turn-events.js';
import type { Reports } from '../client/reports.js';
import { callbacksToStart, markStarted } from '../schema/turn-callbacks.js';
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
  readonly ingestions: Ingestions;
  readonly reports: Reports;
  readonly schedules: ScheduleSync;
  /** Told of whatever could not be done; the next sweep tries it again. */
  readonly onFailed?: (error: unknown) => void;
}

/** What one sweep took up again. */
export interface Swept {
  readonly threads: number;
  readonly files: number;
}

const nothing: Swept = { threads: 0, files: 0 };

/**
 * Wakes threads whose bell was lost (the sender died between its rows and its ring) or whose execution is gone while
 * its turn is unfinished (terminated, lost, a restored database), does the same for files that nobody ingests, and
 * removes what has had its time. One worker at a time sweeps; what fails keeps nothing else from being done.
 */
export async function sweep(deps: SweepDeps): Promise<Swept> {
  // A session's lock and no transaction: what waits for Temporal must not hold the database.
  return inSession(deps.db, async (session) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${sweepLock}) as mine`.execute(
      session,
    );
    if (rows[0]?.mine !== true) return nothing;
    try {
      return await sweepAlone(deps);
    } finally {
      await sql`select pg_advisory_unlock(${sweepLock})`.execute(session);
    }
  });
}

async function sweepAlone(deps: SweepDeps): Promise<Swept> {
  const { db, bell, partners, ingestions, reports, schedules, onFailed } = deps;
  const swept = { threads: 0, files: 0 };
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    await act().catch((error: unknown) => onFailed?.(error));
  };
  const each = <T>(find: () => Promise<readonly T[]>, act: (one: T) => Promise<unknown>): Promise<void> =>
    attempt(async () => {
      for (const one of await find()) await attempt(() => act(one));
    });
  await each(
    () => threadsToWake(db, patienceMs),
    async (thread) => {
      if (await bell.isAwake(thread.threadId)) return;
      await bell.ring(thread);
      swept.threads += 1;
    },
  );
  await each(
    () => unheardCalls(db, patienceMs),
    (call) => bell.reply(call),
  );
  await each(
    () => groupsToWake(db, patienceMs),
    (groupId) => bell.talk(groupId),
  );
  await each(
    () => callbacksToStart(db),
    async (turnId) => {
      await reports.start(turnId);
      await markStarted(db, turnId);
    },
  );
  // Rows ask for refinements, and this is what hears them: a turn that asked does not wait for it.
  await each(
    () => partnersToWake(db),
    (partnerId) => partners.wake(partnerId),
  );
  await each(
    () => quietFiles(db, patienceMs),
    async (fileId) => {
      if (await ingestions.isRunning(fileId)) return;
      await ingestions.start(fileId);
      swept.files += 1;
    },
  );
  await attempt(() => schedules.catchUp());
  await attempt(() => removeWhatHadItsTime(db));
  return swept;
}

async function removeWhatHadItsTime(db: Db): Promise<void> {
  const dead = new Date(Date.now() - graveMs);
  await db.transaction().execute(async (tx) => {
    await purgeDeleted(tx, dead);
    await purgeDeletedConversations(tx, dead);
  });
  await pruneEvents(db, new Date(Date.now() - fragmentsKeptMs));
}

/** Sweeps every few seconds until stopped. Waits for the sweep under way. */
export function startSweeping(
  deps: Omit<SweepDeps, 'onFailed'> & { readonly log: Log; readonly everyMs?: number },
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const once = async (): Promise<void> => {
    try {
      const onFailed = (error: unknown): void => {
        deps.log.warn('A part of the sweep failed; the next one tries it again.', { error });
      };
      const { threads, files } = await sweep({ ...deps, onFailed });
      if (threads > 0) deps.log.warn(`Woke ${threads} threads that had lost their bell or their execution.`);
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
