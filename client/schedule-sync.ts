import {
  type Client,
  type ScheduleDescription,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { cronUnion, onceCatchupMs, type OverlapPolicy, type Timing } from '../core/schedules/schedules.js';
import type { Db } from '../schema/db/database.js';
import {
  markSynced,
  retireSchedules,
  type Schedule,
  unsyncedSchedules,
} from '../schema/schedules/schedules.js';
import { refineMemoryType, sendScheduledType, workflowTaskTimeout } from '../workflows/protocol.js';

/** What Temporal knows of a schedule. */
export interface ScheduleReport {
  /** Jitter included. */
  readonly nextTimes: readonly Date[];
  readonly recent: readonly { readonly scheduledAt: Date; readonly workflowId: string }[];
  /** How many of its times so far were acted on, skipped for an overlap, or missed. */
  readonly fired: number;
  readonly skipped: number;
  readonly missed: number;
}

/** Keeps Temporal's schedules equal to the rows. */
export interface ScheduleSync {
  /** Makes Temporal's schedule what the row says. Harmless when repeated. */
  push(schedule: Schedule): Promise<void>;
  /** Pushes rows that a dead process did not push, and removes schedules whose agent is gone. Tries all, then throws if some failed. */
  catchUp(): Promise<void>;
  /** Undefined where Temporal has no such schedule (yet). */
  report(scheduleId: string): Promise<ScheduleReport | undefined>;
  /** Runs the schedule's action now. */
  trigger(scheduleId: string): Promise<void>;
}

/** A change that was not pushed for this long was left by a process that died. */
const patienceMs = 5_000;

export function createScheduleSync(db: Db, temporal: Client, taskQueue: string): ScheduleSync {
  const push = async (schedule: Schedule): Promise<void> => {
    if (schedule.deleted) await remove(temporal, schedule.id);
    else await save(temporal, toOptions(schedule, taskQueue));
    await markSynced(db, schedule);
  };
  return {
    push,
    async catchUp() {
      await retireSchedules(db);
      const failures: unknown[] = [];
      for (const schedule of await unsyncedSchedules(db, patienceMs)) {
        // A schedule that Temporal refuses does not hold up the others.
        await push(schedule).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0)
        throw new AggregateError(failures, `${failures.length} schedules could not be pushed to Temporal.`);
    },
    async report(scheduleId) {
      const found = await temporal.schedule.getHandle(scheduleId).describe().catch(ignoreNotFound);
      return found === undefined ? undefined : toReport(found);
    },
    async trigger(scheduleId) {
      await temporal.schedule.getHandle(scheduleId).trigger();
    },
  };
}

async function save(temporal: Client, options: ScheduleOptions): Promise<void> {
  try {
    await temporal.schedule.create(options);
    return;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const { spec, action, policies = {} } = options;
  const { paused = false, remainingActions } = options.state ?? {};
  const state = { paused, ...(remainingActions === undefined ? {} : { remainingActions }) };
  await temporal.schedule.getHandle(options.scheduleId).update((previous) => ({
    ...previous,
    spec,
    action: { ...action, workflowId: options.action.workflowId ?? options.scheduleId },
    policies,
    state: { ...previous.state, ...state },
  }));
}

async function remove(temporal: Client, scheduleId: string): Promise<void> {
  await temporal.schedule.getHandle(scheduleId).delete().catch(ignoreNotFound);
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}

// Ids and numbers only: what is sent stays in the row.
function toOptions(schedule: Schedule, taskQueue: string): ScheduleOptions {
  const { id, timing, paused } = schedule;
  const due = timing.kind === 'once' ? new Date(timing.at) : undefined;
  const common = { type: 'startWorkflow' as const, taskQueue, workflowTaskTimeout, workflowId: id };
  return {
    scheduleId: id,
    spec: toSpec(timing),
    action:
      schedule.kind === 'message'
        ? { ...common, workflowType: sendScheduledType, args: [{ scheduleId: id }] }
        : {
            ...common,
            workflowType: refineMemoryType,
            args: [{ partnerId: schedule.partnerId, scheduled: true }],
          },
    policies: {
      overlap: toOverlap(timing.kind === 'once' ? 'allow_all' : timing.overlap),
      catchupWindow: timing.kind === 'once' ? onceCatchupMs : timing.catchupMs,
    },
    memo: { agent: schedule.agentId },
    state: {
      paused,
      ...(due === undefined ? {} : { remainingActions: 1 }),
      // Its time has passed since the row was written: it is sent now instead of never.
      ...(due === undefined || due > new Date() || schedule.firedAt !== null
        ? {}
        : { triggerImmediately: true }),
    },
  };
}

function toSpec(timing: Timing): ScheduleOptions['spec'] {
  if (timing.kind === 'cron') {
    const { cron, timezone, jitterMs } = timing;
    return { cronExpressions: cronUnion(cron), timezone, jitter: jitterMs };
  }
  // Schedules have a resolution of seconds; rounded up, so that it is never early.
  const at = new Date(Math.ceil(new Date(timing.at).getTime() / 1_000) * 1_000);
  const [year, month, dayOfMonth] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()];
  const [hour, minute, second] = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  return {
    cronExpressions: [`${second} ${minute} ${hour} ${dayOfMonth} ${month} * ${year}`],
    timezone: 'UTC',
  };
}

const overlaps: Readonly<Record<OverlapPolicy, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer_one: ScheduleOverlapPolicy.BUFFER_ONE,
  buffer_all: ScheduleOverlapPolicy.BUFFER_ALL,
  cancel_other: ScheduleOverlapPolicy.CANCEL_OTHER,
  // A terminated execution could not end its turn; a cancelled one ends it at once.
  terminate_other: ScheduleOverlapPolicy.CANCEL_OTHER,
  allow_all: ScheduleOverlapPolicy.ALLOW_ALL,
};

function toOverlap(policy: OverlapPolicy): ScheduleOverlapPolicy {
  return overlaps[policy];
}

function toReport({ info }: ScheduleDescription): ScheduleReport {
  return {
    nextTimes: info.nextActionTimes,
    recent: info.recentActions.map(({ scheduledAt, action }) => ({
      scheduledAt,
      workflowId: action.workflow.workflowId,
    })),
    fired: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}
