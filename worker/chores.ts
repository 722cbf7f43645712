import type { Embedder } from '../activities/deps.js';
import { indexRecall } from '../activities/threads/recall-index.js';
import type { Bell } from '../client/bell.js';
import type { Ingestions } from '../client/ingestions.js';
import type { PartnerBell } from '../client/partner-bell.js';
import type { Reports } from '../client/reports.js';
import type { ScheduleSync } from '../client/schedule-sync.js';
import { WorldFailure } from '../core/failures.js';
import { purgeDeleted } from '../schema/agents/purge.js';
import { purgeDeletedConversations } from '../schema/threads/conversations.js';
import type { Db } from '../schema/db/database.js';
import { unheardCalls } from '../schema/turns/edges.js';
import { quietFiles } from '../schema/files/ingestion.js';
import {
  agentsToIndex,
  type AgentToIndex,
  forgetIndexing,
  postponeIndexing,
} from '../schema/threads/recall-indexing.js';
import { partnersToWake } from '../schema/refinement/requests.js';
import { pruneTurns } from '../schema/turns/retention.js';
import { threadsToWake } from '../schema/turns/sweeping.js';
import { groupsToWake } from '../schema/groups/talk-waking.js';
import { callbacksToStart, markStarted } from '../schema/turns/callbacks.js';
import { pruneEvents } from '../schema/turns/events.js';
import { analyzeIfGrown } from '../schema/archives/statistics.js';
import { storedSizes } from '../schema/archives/vector-indexes.js';
import type { Vectors } from '../schema/archives/vectors.js';
import { findWithoutExecution } from './lost-executions.js';
import type { ChoreRun } from './chore-run.js';

/**
 * A delivery that was not claimed for this long has lost its bell. A turn that was silent for this long may have lost
 * its execution.
 */
export const patienceMs = 5_000;

/** Fragments of answers are kept this long after their turn's end, in ms. */
const fragmentsKeptMs = 3 * 60 * 60 * 1000;

/** Rows of a deleted agent or conversation are kept for this long, so that what still runs for it ends in order. */
const graveMs = 60_000;

export interface SweepDeps {
  readonly db: Db;
  readonly bell: Bell;
  readonly partners: PartnerBell;
  readonly ingestions: Ingestions;
  readonly reports: Reports;
  readonly schedules: ScheduleSync;
  readonly embeddings: { resolve(handle: string): Embedder };
  readonly vectors: Vectors;
  /** How long the steps of finished turns are kept, in ms. Absent: forever. */
  readonly stepsKeptMs?: number | undefined;
  /** Called for each failure. The next sweep tries again. */
  readonly onFailed?: (error: unknown) => void;
}

/**
 * A part of the sweep. Its name is stored in the database: the implementation may change, the meaning of the name may
 * not.
 */
export type Chore = (deps: SweepDeps, run: ChoreRun) => Promise<void>;

/** The item turned out to need no work. */
const needless = Symbol('needless');

/** Handles each item. A failure does not stop the others. */
async function each<T>(
  { signal, failed, count }: ChoreRun,
  found: readonly T[],
  act: (one: T) => Promise<unknown>,
): Promise<void> {
  for (const one of found) {
    if (signal.aborted) return;
    try {
      if ((await act(one)) !== needless) count.done += 1;
    } catch (error) {
      failed(error);
    }
  }
}

async function indexAgent(
  db: Db,
  embeddings: SweepDeps['embeddings'],
  { agentId, embedding }: AgentToIndex,
  { signal }: ChoreRun,
): Promise<void> {
  try {
    await indexRecall(db, { agentId, embedder: embeddings.resolve(embedding), signal });
    await forgetIndexing(db, agentId);
  } catch (error) {
    // Messages that are left come after the other agents' in a later sweep.
    await (isFinal(error) ? forgetIndexing : postponeIndexing)(db, agentId);
    if (!signal.aborted) throw error;
  }
}

/**
 * Waits for work until the chore's time is over, then lets it finish in the background: a large index takes minutes.
 */
async function leaveAfter({ signal, failed }: ChoreRun, work: Promise<void>): Promise<void> {
  const ended = work.catch(failed);
  const over = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  await Promise.race([ended, over]);
}

function isFinal(error: unknown): boolean {
  return error instanceof WorldFailure && !error.retryable;
}

/** Chores that read much and are not urgent. */
export const slowChores: readonly string[] = ['retention'];
/** How often they run, in ms. */
export const slowMs = 10 * 60 * 1000;

/** All chores by name. */
export const chores: Readonly<Record<string, Chore>> = {
  threads: async ({ db, bell }, run) => {
    const silent = await threadsToWake(db, patienceMs);
    const asleep = await findWithoutExecution(bell, silent, run);
    await each(run, asleep, (thread) => bell.ring(thread));
  },
  calls: async ({ db, bell }, run) => {
    await each(run, await unheardCalls(db, patienceMs), (call) => bell.reply(call));
  },
  talks: async ({ db, bell }, run) => {
    await each(run, await groupsToWake(db, patienceMs), (groupId) => bell.talk(groupId));
  },
  reports: async ({ db, reports }, run) => {
    await each(run, await callbacksToStart(db), async (turnId) => {
      await reports.start(turnId);
      await markStarted(db, turnId);
    });
  },
  // Turns leave requests for refinements without waiting; this starts them.
  partners: async ({ db, partners }, run) => {
    await each(run, await partnersToWake(db), (partnerId) => partners.wake(partnerId));
  },
  files: async ({ db, ingestions }, run) => {
    await each(run, await quietFiles(db, patienceMs), async (fileId) =>
      (await ingestions.isRunning(fileId)) ? needless : ingestions.start(fileId),
    );
  },
  recall: async ({ db, embeddings }, run) => {
    await each(run, await agentsToIndex(db), (agent) => indexAgent(db, embeddings, agent, run));
  },
  // A turn, the API or an import that stores the first vector of a size does not wait for its index.
  vectors: async ({ db, vectors }, run) => {
    await each(run, ['passages', 'messages'] as const, (table) => analyzeIfGrown(db, table));
    await each(run, await storedSizes(db), ({ table, dimensions }) =>
      leaveAfter(run, vectors.prepare(db, table, dimensions)),
    );
  },
  schedules: async ({ schedules }) => {
    await schedules.catchUp();
  },
  purge: async ({ db }, { signal }) => {
    const dead = new Date(Date.now() - graveMs);
    await purgeDeleted(db, dead, signal);
    await purgeDeletedConversations(db, dead);
  },
  retention: async ({ db, stepsKeptMs }, { signal }) => {
    if (stepsKeptMs !== undefined) await pruneTurns(db, new Date(Date.now() - stepsKeptMs), signal);
  },
  fragments: async ({ db }, { signal }) => {
    await pruneEvents(db, new Date(Date.now() - fragmentsKeptMs), signal);
  },
};
