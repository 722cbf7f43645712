import { z } from 'zod';
import { nextTimes } from '../../client/timings.js';
import { type Timing } from '../../core/schedules/schedules.js';
import type { TurnOptions } from '../../schema/turns/records.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import { toImageSource } from '../threads/content-wire.js';
import { freeObject, int32 } from '../http/fields-wire.js';
import { cronFields, fromCron, toWireCron } from './crons-wire.js';
import { messageBody } from '../threads/message-requests-wire.js';

const scheduleBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('one-time').default('one-time'),
    // Milliseconds since 1970; 8.64e15 is the last time that JavaScript knows.
    scheduled_at: z.number().min(-8.64e15).max(8.64e15),
  }),
  z.object({ type: z.literal('recurring'), ...cronFields }),
]);

/** Messages to send to an agent once or by a cron, in the form of clients of 1.x. */
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

/** The answer to a new scheduled message. */
export const createdSchedule = z.object({ id: z.string(), next_scheduled_at: z.string().optional() });

/** A scheduled message as the API shows it. `paused` and the fields after it are not Letta's. */
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

/** When to send messages. A cron sends at each of its times, whether or not the turn before has ended. */
export function toTiming({ schedule }: CreateScheduleBody): Timing {
  if (schedule.type === 'recurring') return fromCron(schedule, 'allow_all');
  return { kind: 'once', at: new Date(schedule.scheduled_at).toISOString() };
}

/** Options of a schedule's turns. The fields about how they are shown are stored with them. */
export function toScheduledOptions(body: CreateScheduleBody): TurnOptions {
  const { max_steps: maxSteps, include_return_message_types: shown } = body;
  return {
    ...(maxSteps == null ? {} : { maxSteps }),
    background: true,
    wire: shown == null ? {} : { include_return_message_types: shown },
  };
}

/** The next time after `now`; null where there is none. */
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
