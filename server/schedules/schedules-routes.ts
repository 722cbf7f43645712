import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { ScheduleNotFoundError } from '../../schema/schedules/errors.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { idOf } from '../http/ids-wire.js';
import { fromSendBody } from '../threads/message-requests-wire.js';
import {
  createdSchedule,
  createScheduleBody,
  nextTime,
  toScheduledOptions,
  toTiming,
  toWireScheduledMessage,
  wireScheduledMessage,
  wireScheduledMessages,
} from './schedules-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const scheduleParams = agentParams.extend({ scheduled_message_id: idOf('schedule') });

const listQuery = z.object({
  after: idOf('schedule').optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
});

/** Messages that are sent to an agent once, or by a cron. */
export function scheduleRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
  controlRoutes(app, context);
}

function collectionRoutes(app: App, { db, schedules }: RouteContext): void {
  app.post(
    '/v1/agents/:agent_id/schedule',
    {
      schema: {
        ...describeRoute('agents.schedule.create', 'Schedule messages, once or by a cron'),
        params: agentParams,
        body: createScheduleBody,
        response: { 200: createdSchedule },
      },
    },
    async ({ params, body }) => {
      const { id: agentId } = await requireAgent(db, params.agent_id);
      const schedule = await schedules.scheduleMessages({
        agentId,
        messages: fromSendBody({ messages: body.messages }),
        timing: toTiming(body),
        options: toScheduledOptions(body),
      });
      const next = nextTime(schedule, new Date());
      return { id: schedule.id, ...(next === null ? {} : { next_scheduled_at: next }) };
    },
  );
  app.get(
    '/v1/agents/:agent_id/schedule',
    {
      schema: {
        ...describeRoute('agents.schedule.list', 'List scheduled messages, oldest first'),
        params: agentParams,
        querystring: listQuery,
        response: { 200: wireScheduledMessages },
      },
    },
    async ({ params, query }) => {
      const { id: agentId } = await requireAgent(db, params.agent_id);
      // One more than is shown tells whether there is another page.
      const page = { after: query.after, limit: query.limit + 1 };
      const found = await schedules.list({ kind: 'message', agentId }, page);
      const now = new Date();
      return {
        has_next_page: found.length > query.limit,
        scheduled_messages: found
          .slice(0, query.limit)
          .map((schedule) => toWireScheduledMessage(schedule, now)),
      };
    },
  );
}

function itemRoutes(app: App, context: RouteContext): void {
  app.get(
    '/v1/agents/:agent_id/schedule/:scheduled_message_id',
    {
      schema: {
        ...describeRoute('agents.schedule.retrieve', 'Retrieve a scheduled message'),
        params: scheduleParams,
        response: { 200: wireScheduledMessage },
      },
    },
    async ({ params }) => toWireScheduledMessage(await requireOf(context, params), new Date()),
  );
  app.delete(
    '/v1/agents/:agent_id/schedule/:scheduled_message_id',
    {
      schema: {
        ...describeRoute('agents.schedule.delete', 'Delete a scheduled message'),
        params: scheduleParams,
        response: { 200: z.object({ success: z.literal(true) }) },
      },
    },
    async ({ params }) => {
      await context.schedules.delete((await requireOf(context, params)).id);
      return { success: true as const };
    },
  );
}

function controlRoutes(app: App, context: RouteContext): void {
  const { schedules } = context;
  const control = (verb: string, summary: string, act: (id: string) => Promise<unknown>): void => {
    app.post(
      `/v1/agents/:agent_id/schedule/:scheduled_message_id/${verb}`,
      {
        schema: {
          ...describeRoute(`agents.schedule.${verb}`, summary),
          params: scheduleParams,
          response: { 200: wireScheduledMessage },
        },
      },
      async ({ params }) => {
        const { id } = await requireOf(context, params);
        await act(id);
        return toWireScheduledMessage(await schedules.retrieve(id), new Date());
      },
    );
  };
  control('pause', 'Pause a scheduled message', (id) => schedules.update(id, { paused: true }));
  control('resume', 'Resume a paused scheduled message', (id) => schedules.update(id, { paused: false }));
  control('trigger', 'Send a scheduled message now, too', (id) => schedules.trigger(id));
}

/** The schedule, where it is the agent's. Throws AgentNotFoundError and ScheduleNotFoundError. */
async function requireOf(
  { db, schedules }: RouteContext,
  params: z.infer<typeof scheduleParams>,
): Promise<Schedule> {
  await requireAgent(db, params.agent_id);
  const schedule = await schedules.retrieve(params.scheduled_message_id);
  if (schedule.agentId !== params.agent_id || schedule.kind !== 'message') {
    throw new ScheduleNotFoundError(schedule.id);
  }
  return schedule;
}
