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

/** How often each worker looks for deaths, in ms, and how soon it looks again at a suspect. */
const lookEveryMs = 250;
const lookAgainMs = 150;
/** Executions handled in parallel. */
const atOnce = 20;

export interface DeathWatch {
  readonly db: Db;
  readonly temporal: Client;
  readonly log: Log;
  /** The key of the watching worker. */
  readonly key: number;
}

/**
 * Watches for the deaths of other workers until stopped. A worker whose lock was free at two looks is dead. Its work
 * goes to living workers at once, instead of after Temporal's time-outs.
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
        watch.log.warn('Could not look for dead workers. The next look follows.', { error });
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
 * Hands over a dead worker's work. Harmless when repeated, and if the worker lives after all: an activity that is
 * failed by mistake gets another attempt, and only the newest attempt of a step stores an answer.
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
    log.warn(`Worker ${dead.identity} has died. Other workers take over its work.`);
  });
}

interface Death extends WorkerEntry {
  /** The thread whose turn blocked its event loop. */
  readonly stuckIn: string | null;
  /** Keys of the living workers. */
  readonly living: ReadonlySet<number>;
}

/**
 * Resets the dead worker's sticky queue for this execution and fails its activities. A turn with too many dead
 * workers is ended instead.
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
  // If its worker had died before, it is unknown which worker has it: perhaps this one.
  const wasInHand = execution.worker != null && !dead.living.has(execution.worker);
  const isCause = dead.stuckIn === workflowId;
  if (lost.length > 0 || wasInHand || isCause) {
    const ended = await countDeath(db, { threadId: workflowId, key: dead.key, isCause });
    if (ended !== undefined)
      log.error(`Turn ${ended} was given up, because too many workers died while running it.`);
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
