import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Log } from '../activities/deps.js';
import type { Db } from '../schema/db/database.js';
import { countDeath, threadStuckIn } from '../schema/turns/worker-deaths.js';
import {
  holdDeath,
  type OpenExecution,
  openExecutions,
  removeWorker,
  type WorkerEntry,
  workerKeys,
  workersWithoutLock,
} from '../schema/turns/workers.js';
import { ignoreNotFound } from '../client/executions.js';

/** How often each worker looks for deaths, in ms, and how soon it looks again where it suspects one. */
const lookEveryMs = 250;
const lookAgainMs = 150;
/** Executions that are looked at side by side. */
const atOnce = 20;

export interface DeathWatch {
  readonly db: Db;
  readonly temporal: Client;
  readonly log: Log;
  /** The worker that watches. */
  readonly key: number;
}

/**
 * Watches for the deaths of other workers until stopped. A worker whose lock was free at two looks is dead: what it was
 * at goes to living workers at once, instead of waiting for Temporal's time-outs.
 */
export function watchDeaths(watch: DeathWatch): () => Promise<void> {
  let looking: Promise<void> | undefined;
  const absent = async (): Promise<readonly WorkerEntry[]> =>
    (await workersWithoutLock(watch.db)).filter(({ key }) => key !== watch.key);
  const look = async (): Promise<void> => {
    const suspects = (await absent()).map(({ key }) => key);
    if (suspects.length === 0) return;
    await delay(lookAgainMs);
    const dead = (await absent()).filter(({ key }) => suspects.includes(key));
    for (const worker of dead) await takeOver(watch, worker);
  };
  const lookNow = (): void => {
    looking ??= look()
      .catch((error: unknown) => {
        watch.log.warn('Deaths of workers could not be looked for. The next look follows.', { error });
      })
      .finally(() => {
        looking = undefined;
      });
  };
  lookNow();
  const timer = setInterval(lookNow, lookEveryMs);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

/**
 * Hands over what a dead worker was at. Harmless when repeated, and where it lives after all: an activity that is failed
 * by mistake has another attempt, and only the newest attempt of a step stores an answer.
 */
async function takeOver({ db, temporal, log }: DeathWatch, dead: WorkerEntry): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await holdDeath(tx, dead.key))) return;
    const open = await openExecutions(tx);
    const [stuckIn, keys] = await Promise.all([threadStuckIn(db, dead.key), workerKeys(db)]);
    const living = new Set(keys.filter((key) => key !== dead.key));
    const death: Death = { ...dead, stuckIn, living };
    for (let first = 0; first < open.length; first += atOnce) {
      const some = open.slice(first, first + atOnce);
      await Promise.all(some.map((execution) => release({ db, temporal, log }, execution, death)));
    }
    await removeWorker(tx, dead.key);
    log.warn(`Worker ${dead.identity} has died. What it was at goes on elsewhere.`);
  });
}

interface Death extends WorkerEntry {
  /** The thread whose turn brought it to a standstill. */
  readonly stuckIn: string | null;
  /** Keys of the other workers. */
  readonly living: ReadonlySet<number>;
}

/**
 * Makes Temporal forget that the dead worker has this execution in its cache, and one of its activities in hand. A turn
 * that was in too many dead hands is ended before it comes into others.
 */
async function release(
  { db, temporal, log }: Omit<DeathWatch, 'key'>,
  execution: OpenExecution,
  dead: Death,
): Promise<void> {
  const { workflowId, runId } = execution;
  const found = await temporal.workflow.getHandle(workflowId, runId).describe().catch(ignoreNotFound);
  if (found?.status.name !== 'RUNNING') return;
  const lost = (found.raw.pendingActivities ?? []).filter(
    ({ lastWorkerIdentity, lastStartedTime }) =>
      lastWorkerIdentity === dead.identity && lastStartedTime != null,
  );
  // Whose worker had died before is in the hands of nobody knows whom: perhaps of this one.
  const wasInHand = execution.worker != null && !dead.living.has(execution.worker);
  const isCause = dead.stuckIn === workflowId;
  if (lost.length > 0 || wasInHand || isCause) {
    const ended = await countDeath(db, { threadId: workflowId, key: dead.key, isCause });
    if (ended !== undefined) log.error(`Turn ${ended} ended its workers, and was given up.`);
    const { namespace } = temporal.options;
    await temporal.workflowService.resetStickyTaskQueue({
      namespace,
      execution: { workflowId, runId: found.runId },
    });
  }
  for (const { activityId } of lost) {
    const failure = ApplicationFailure.create({
      type: 'Worker.Died',
      message: 'The worker that ran this activity has died.',
      nextRetryDelay: 1,
    });
    if (activityId == null) continue;
    await temporal.activity.fail({ workflowId, runId: found.runId, activityId }, failure);
  }
}
