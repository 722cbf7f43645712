import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { idOf } from '../http/ids-wire.js';
import { agentParams } from '../http/params-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { fromSendBody } from '../threads/message-requests-wire.js';
import { requireScheduleOf, scheduleControlRoutes } from './schedule-controls.js';
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

const path = '/v1/agents/:agent_id/schedule';
const scheduleParams = agentParams.extend({ scheduled_message_id: idOf('schedule') });

const listQuery = z.object({
  after: idOf('schedule').optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
});

/** Scheduled messages of an agent: sent once or by a cron. */
export function scheduleRoutes(app: App, context: RouteContext): void {
  const shared = {
    ...{ path, operations: 'agents.schedule' },
    ...{ params: scheduleParams, item: wireScheduledMessage },
  };
  collectionRoutes(app, context);
  createResource(app, shared).retrieve('Retrieve a scheduled message', async ({ params }) =>
    toWireScheduledMessage(await find(context, params), new Date()),
  );
  deleteRoute(app, context);
  scheduleControlRoutes(app, context.schedules, {
    ...shared,
    path: `${path}/:scheduled_message_id`,
    summaries: {
      pause: 'Pause a scheduled message',
      resume: 'Resume a paused scheduled message',
      trigger: 'Send a scheduled message now, in addition to its schedule',
    },
    find: (params) => find(context, params),
    show: (schedule) => toWireScheduledMessage(schedule, new Date()),
  });
}

function collectionRoutes(app: App, { db, schedules }: RouteContext): void {
  app.post(
    path,
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
    path,
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

function deleteRoute(app: App, context: RouteContext): void {
  app.delete(
    `${path}/:scheduled_message_id`,
    {
      schema: {
        ...describeRoute('agents.schedule.delete', 'Delete a scheduled message'),
        params: scheduleParams,
        response: { 200: z.object({ success: z.literal(true) }) },
      },
    },
    async ({ params }) => {
      await context.schedules.delete((await find(context, params)).id);
      return { success: true as const };
    },
  );
}

/** Throws AgentNotFoundError and ScheduleNotFoundError. */
async function find(
  { db, schedules }: RouteContext,
  { agent_id: agentId, scheduled_message_id: id }: z.infer<typeof scheduleParams>,
): Promise<Schedule> {
  await requireAgent(db, agentId);
  return requireScheduleOf(schedules, id, { agentId, kind: 'message' });
}
