import { z } from 'zod';
import type { DescribedSchedule } from '../../client/schedules.js';
import { nextTimes } from '../../client/timings.js';
import { overlapPolicies } from '../../core/schedules/schedules.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import { cronChange, cronFields, toWireCron } from './crons-wire.js';

/** A new cron of refinements. */
export const createRefinementScheduleBody = z
  .object({ ...cronFields, paused: z.boolean().nullish(), note: z.string().nullish() })
  .meta({ id: 'RefinementScheduleCreate' });

/** Changes of a cron of refinements; absent fields stay as they are. */
export const updateRefinementScheduleBody = z
  .object({ ...cronChange.shape, paused: z.boolean().nullish(), note: z.string().nullish() })
  .meta({ id: 'RefinementScheduleUpdate' });

/** A cron of refinements as the API shows it. `fired`, `skipped` and `missed` come from Temporal, and are null where it was not asked. */
export const wireRefinementSchedule = z
  .object({
    id: z.string(),
    group_id: z.string(),
    agent_id: z.string(),
    partner_id: z.string(),
    cron_expression: z.string(),
    timezone: z.string(),
    jitter_seconds: z.number(),
    overlap: z.enum(overlapPolicies),
    catchup_window_seconds: z.number(),
    paused: z.boolean(),
    note: z.string().nullable(),
    next_times: z.array(z.string()),
    fired: z.number().nullable(),
    skipped: z.number().nullable(),
    missed: z.number().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'RefinementSchedule' });

/** How many of its next times a schedule shows. */
const previewed = 5;

export function toWireRefinementSchedule(
  schedule: Schedule & Partial<Pick<DescribedSchedule, 'report'>>,
  now: Date,
): z.infer<typeof wireRefinementSchedule> {
  const { timing, report, paused } = schedule;
  if (timing.kind !== 'cron') throw new Error(`schedule ${schedule.id} is not a cron`);
  const next = paused ? [] : (report?.nextTimes.slice(0, previewed) ?? nextTimes(timing, now, previewed));
  return {
    id: schedule.id,
    group_id: schedule.groupId ?? '',
    agent_id: schedule.agentId,
    partner_id: schedule.partnerId ?? '',
    ...toWireCron(timing),
    paused,
    note: schedule.note,
    next_times: next.map((time) => time.toISOString()),
    fired: report?.fired ?? null,
    skipped: report?.skipped ?? null,
    missed: report?.missed ?? null,
    created_at: schedule.createdAt.toISOString(),
  };
}
