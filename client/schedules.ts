import type { Timing } from '../core/schedules/schedules.js';
import type { Db } from '../schema/db/database.js';
import { NoPartnerError } from '../schema/groups/errors.js';
import { requireGroup } from '../schema/groups/groups.js';
import type { Page } from '../schema/db/paging.js';
import type { TurnOptions } from '../schema/turns/records.js';
import {
  insertSchedule,
  listSchedules,
  type NewSchedule,
  requireSchedule,
  type Schedule,
  type ScheduleFilter,
  updateSchedule,
} from '../schema/schedules/schedules.js';
import type { ScheduleReport, ScheduleSync } from './schedule-sync.js';
import { checkTiming } from './timings.js';
import { toBody } from './turns.js';
import type { OutgoingMessage } from './types.js';

/** A schedule, and what Temporal reports about it. */
export interface DescribedSchedule extends Schedule {
  /** Undefined where Temporal does not follow it yet. */
  readonly report: ScheduleReport | undefined;
}

/** Schedules of messages and of refinements, followed by Temporal. Every method may be called from any process. */
export interface Schedules {
  /** Schedules messages to an agent. Throws AgentNotFoundError and TimingError. */
  scheduleMessages(input: {
    readonly agentId: string;
    readonly messages: readonly OutgoingMessage[];
    readonly timing: Timing;
    readonly options?: TurnOptions;
  }): Promise<Schedule>;
  /** Schedules refinements of a group's memory. Throws GroupNotFoundError, NoPartnerError and TimingError. */
  scheduleRefinements(input: {
    readonly groupId: string;
    readonly timing: Timing;
    readonly paused?: boolean;
    readonly note?: string | null;
  }): Promise<Schedule>;
  /** Schedules by creation, paged. */
  list(filter: ScheduleFilter, page?: Page): Promise<readonly Schedule[]>;
  /** Throws ScheduleNotFoundError. */
  retrieve(scheduleId: string): Promise<Schedule>;
  /** The schedule with Temporal's report. Throws ScheduleNotFoundError. */
  describe(scheduleId: string): Promise<DescribedSchedule>;
  /** Changes timing, pause or note. Throws ScheduleNotFoundError and TimingError. */
  update(scheduleId: string, patch: Partial<Pick<Schedule, 'timing' | 'paused' | 'note'>>): Promise<Schedule>;
  /** Runs the schedule now. Throws ScheduleNotFoundError. */
  trigger(scheduleId: string): Promise<void>;
  /** Throws ScheduleNotFoundError. */
  delete(scheduleId: string): Promise<void>;
}

/** What schedules depend on. */
export interface SchedulesDeps {
  readonly db: Db;
  readonly sync: ScheduleSync;
  /** Told when Temporal could not be reached: the row is stored, and the sweep will have it followed. */
  readonly onSyncFailed?: (error: unknown) => void;
}

export function createSchedules({ db, sync, onSyncFailed }: SchedulesDeps): Schedules {
  const follow = async (schedule: Schedule): Promise<Schedule> => {
    await sync.push(schedule).catch((error: unknown) => onSyncFailed?.(error));
    return schedule;
  };
  const make = async (input: NewSchedule): Promise<Schedule> => {
    checkTiming(input.timing, new Date());
    return follow(await insertSchedule(db, input));
  };
  return {
    scheduleMessages({ agentId, messages, timing, options = {} }) {
      const isOnce = timing.kind === 'once';
      const bodies = messages.map((message) => ({
        body: toBody(message),
        // An otid identifies one message, and a cron sends many.
        otid: isOnce ? (message.otid ?? null) : null,
        senderId: message.senderId ?? null,
      }));
      return make({ kind: 'message', agentId, timing, messages: bodies, options });
    },
    async scheduleRefinements({ groupId, timing, paused, note }) {
      const group = await requireGroup(db, groupId);
      const [partnerId] = group.agentIds;
      const { managerAgentId: agentId } = group;
      if (agentId === null || partnerId === undefined) {
        throw new NoPartnerError(groupId);
      }
      return make({
        ...{ kind: 'refinement', agentId, groupId, partnerId, timing },
        ...(paused === undefined ? {} : { paused }),
        ...(note === undefined ? {} : { note }),
      });
    },
    list: (filter, page = {}) => listSchedules(db, filter, page),
    retrieve: (scheduleId) => requireSchedule(db, scheduleId),
    async describe(scheduleId) {
      const schedule = await requireSchedule(db, scheduleId);
      return { ...schedule, report: await sync.report(scheduleId) };
    },
    async update(scheduleId, patch) {
      if (patch.timing !== undefined) checkTiming(patch.timing, new Date());
      return follow(await updateSchedule(db, scheduleId, patch));
    },
    async trigger(scheduleId) {
      await follow(await requireSchedule(db, scheduleId));
      await sync.trigger(scheduleId);
    },
    async delete(scheduleId) {
      await follow(await updateSchedule(db, scheduleId, { deleted: true }));
    },
  };
}
