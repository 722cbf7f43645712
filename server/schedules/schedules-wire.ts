import { z } from 'zod';
import type { DescribedSchedule } from '../../client/schedules.js';
import { nextTimes } from '../../client/timings.js';
import { overlapPolicies, type Timing } from '../../core/schedules/schedules.js';
import type { TurnOptions } from '../../schema/turns/records.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import { toImageSource } from '../threads/content-wire.js';
import { freeObject, int32 } from '../http/fields-wire.js';
import { messageBody } from '../threads/message-requests-wire.js';

/** How often and how exactly a cron is followed: our own fields, each with a default. */
const cronFields = {
  cron_expression: z.string().min(1),
  timezone: z.string().min(1).nullish(),
  jitter_seconds: int32.min(0).nullish(),
  overlap: z.enum(overlapPolicies).nullish(),
  catchup_window_seconds: int32.min(10).nullish(),
};

const scheduleBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('one-time').default('one-time'),
    // Milliseconds since 1970; 8.64e15 is the last time that there is.
    scheduled_at: z.number().min(-8.64e15).max(8.64e15),
  }),
  z.object({ type: z.literal('recurring'), ...cronFields }),
]);

/** Messages to be sent to an agent at times, as clients of generation 1 ask for them. */
export const createScheduleBody = z
  .object({
    messages: z.array(messageBody).min(1),
    schedule: scheduleBody,
    max_steps: int32.min(1).nullish(),
    include_return_message_types: z.array(z.string()).nullish(),
    callback_url: z.null({ error: 'is not served yet for scheduled messages. Leave it out' }).optional(),
  })
  .meta({ id: 'ScheduleCreate' });

type CreateScheduleBody = z.infer<typeof createScheduleBody>;

/** What a new scheduled message is answered with. */
export const createdSchedule = z.object({ id: z.string(), next_scheduled_at: z.string().optional() });

/** A scheduled message as the API tells it. `paused` and what follows it are our own. */
export const wireScheduledMessage = z
  .object({
    id: z.string(),
    agent_id: z.string(),
    message: z.object({
      messages: z.array(freeObject),
      max_steps: z.number().optional(),
      include_return_message_types: z.array(z.string()).optional(),
    }),
    next_scheduled_time: z.string().nullable(),
    schedule: freeObject,
    paused: z.boolean(),
    last_sent_at: z.string().nullable(),
  })
  .meta({ id: 'ScheduledMessage' });

/** A page of scheduled messages. */
export const wireScheduledMessages = z.object({
  has_next_page: z.boolean(),
  scheduled_messages: z.array(wireScheduledMessage),
});

/** When a group's memory is to be refined. */
export const createRefinementScheduleBody = z
  .object({ ...cronFields, paused: z.boolean().nullish(), note: z.string().nullish() })
  .meta({ id: 'RefinementScheduleCreate' });

/** What is to change of it; absent fields stay. */
export const updateRefinementScheduleBody = z
  .object({ ...cronFields, paused: z.boolean().nullish(), note: z.string().nullish() })
  .partial()
  .meta({ id: 'RefinementScheduleUpdate' });

/** A schedule of refinements as the API tells it. The last fields are Temporal's, and null where it was not asked. */
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

const defaultCatchupSeconds = 600;

/** The timing that a request describes. `overlap` is what follows where it names none. */
export function fromCron(
  body: z.infer<z.ZodObject<typeof cronFields>>,
  overlap: (typeof overlapPolicies)[number],
): Extract<Timing, { kind: 'cron' }> {
  return {
    kind: 'cron',
    cron: body.cron_expression.trim(),
    timezone: body.timezone ?? 'UTC',
    jitterMs: (body.jitter_seconds ?? 0) * 1_000,
    overlap: body.overlap ?? overlap,
    catchupMs: (body.catchup_window_seconds ?? defaultCatchupSeconds) * 1_000,
  };
}

/** The timing with what a request names of it. */
export function changedCron(
  timing: Timing,
  body: z.infer<typeof updateRefinementScheduleBody>,
): Timing | undefined {
  const isNamed = Object.keys(cronFields).some((field) => body[field as keyof typeof cronFields] != null);
  if (!isNamed || timing.kind !== 'cron') return undefined;
  return fromCron(
    {
      cron_expression: body.cron_expression ?? timing.cron,
      timezone: body.timezone ?? timing.timezone,
      jitter_seconds: body.jitter_seconds ?? timing.jitterMs / 1_000,
      overlap: body.overlap ?? timing.overlap,
      catchup_window_seconds: body.catchup_window_seconds ?? timing.catchupMs / 1_000,
    },
    timing.overlap,
  );
}

/** When messages are to be sent. Each time of a cron is sent, whether the turn before has ended or not. */
export function toTiming({ schedule }: CreateScheduleBody): Timing {
  if (schedule.type === 'recurring') return fromCron(schedule, 'allow_all');
  return { kind: 'once', at: new Date(schedule.scheduled_at).toISOString() };
}

/** How the turns of a schedule are to run; the fields that say how they are shown are kept with them. */
export function toScheduledOptions(body: CreateScheduleBody): TurnOptions {
  const { max_steps: maxSteps, include_return_message_types: shown } = body;
  return {
    ...(maxSteps == null ? {} : { maxSteps }),
    background: true,
    wire: shown == null ? {} : { include_return_message_types: shown },
  };
}

/** The time that comes next, after `now`; null where none does. */
export function nextTime({ timing, paused }: Schedule, now: Date): string | null {
  if (paused) return null;
  return nextTimes(timing, now, 1)[0]?.toISOString() ?? null;
}

export function toWireScheduledMessage(schedule: Schedule, now: Date): z.infer<typeof wireScheduledMessage> {
  const { options, timing } = schedule;
  const types = z.array(z.string()).safeParse(options.wire?.['include_return_message_types']);
  return {
    id: schedule.id,
    agent_id: schedule.agentId,
    message: {
      messages: schedule.messages.map(toWireMessage),
      ...(options.maxSteps === undefined ? {} : { max_steps: options.maxSteps }),
      ...(types.success ? { include_return_message_types: types.data } : {}),
    },
    next_scheduled_time: nextTime(schedule, now),
    schedule:
      timing.kind === 'once'
        ? { type: 'one-time', scheduled_at: new Date(timing.at).getTime() }
        : { type: 'recurring', ...toWireCron(timing) },
    paused: schedule.paused,
    last_sent_at: schedule.firedAt?.toISOString() ?? null,
  };
}

function toWireMessage({ body, otid, senderId }: Schedule['messages'][number]): Record<string, unknown> {
  const more = { ...(otid === null ? {} : { otid }), ...(senderId === null ? {} : { sender_id: senderId }) };
  if (body.kind === 'assistant') return { type: 'message', role: 'assistant', content: body.text, ...more };
  if (body.kind !== 'user' && body.kind !== 'system') throw new Error(`a ${body.kind} message was scheduled`);
  const name = body.name === undefined ? {} : { name: body.name };
  const [only, ...others] = body.content;
  const content =
    only?.type === 'text' && others.length === 0
      ? only.text
      : body.content.map((part) =>
          part.type === 'text' ? part : { type: 'image', source: toImageSource(part.url) },
        );
  return { type: 'message', role: body.kind, content, ...name, ...more };
}

function toWireCron(timing: Extract<Timing, { kind: 'cron' }>) {
  return {
    cron_expression: timing.cron,
    timezone: timing.timezone,
    jitter_seconds: timing.jitterMs / 1_000,
    overlap: timing.overlap,
    catchup_window_seconds: timing.catchupMs / 1_000,
  };
}

/** Times that a schedule names ahead. */
const previewed = 5;

export function toWireRefinementSchedule(
  schedule: Schedule & Partial<Pick<DescribedSchedule, 'report'>>,
  now: Date,
): z.infer<typeof wireRefinementSchedule> {
  const { timing, report, paused } = schedule;
  if (timing.kind !== 'cron') throw new Error(`schedule ${schedule.id} is no cron`);
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
