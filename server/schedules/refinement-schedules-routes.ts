import { z } from 'zod';
import { ScheduleNotFoundError } from '../../schema/schedules/errors.js';
import { requireGroup } from '../../schema/groups/groups.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { definedFields } from '../http/defined-fields.js';
import { pageFields, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import {
  changedCron,
  createRefinementScheduleBody,
  fromCron,
  toWireRefinementSchedule,
  updateRefinementScheduleBody,
  wireRefinementSchedule,
} from './schedules-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { groupParams } from '../http/params-wire.js';

const scheduleParams = groupParams.extend({ schedule_id: idOf('schedule') });

/** Crons by which a group's memory is refined. */
export function refinementScheduleRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
  controlRoutes(app, context);
}

function collectionRoutes(app: App, { db, schedules }: RouteContext): void {
  app.post(
    '/v1/groups/:group_id/schedule',
    {
      schema: {
        ...describeRoute('groups.schedule.create', 'Refine a group’s memory by a cron'),
        params: groupParams,
        body: createRefinementScheduleBody,
        response: { 200: wireRefinementSchedule },
      },
    },
    async ({ params, body }) => {
      const schedule = await schedules.scheduleRefinements({
        groupId: params.group_id,
        // A refinement takes all that is there: a second one at its side would find nothing.
        timing: fromCron(body, 'skip'),
        paused: body.paused ?? false,
        note: body.note ?? null,
      });
      return toWireRefinementSchedule(await schedules.describe(schedule.id), new Date());
    },
  );
  app.get(
    '/v1/groups/:group_id/schedule',
    {
      schema: {
        ...describeRoute('groups.schedule.list', 'List the crons of a group, oldest first'),
        params: groupParams,
        querystring: z.object(pageFields(idOf('schedule'), 50)),
        response: { 200: z.array(wireRefinementSchedule) },
      },
    },
    async ({ params, query }) => {
      const { id: groupId } = await requireGroup(db, params.group_id);
      const found = await schedules.list({ kind: 'refinement', groupId }, toPage(query, 'asc'));
      const now = new Date();
      return found.map((schedule) => toWireRefinementSchedule(schedule, now));
    },
  );
}

function itemRoutes(app: App, context: RouteContext): void {
  const { schedules } = context;
  app.get(
    '/v1/groups/:group_id/schedule/:schedule_id',
    {
      schema: {
        ...describeRoute(
          'groups.schedule.retrieve',
          'Retrieve a cron with its next times and what became of past ones',
        ),
        params: scheduleParams,
        response: { 200: wireRefinementSchedule },
      },
    },
    async ({ params }) => {
      const { id } = await requireOf(context, params);
      return toWireRefinementSchedule(await schedules.describe(id), new Date());
    },
  );
  app.patch(
    '/v1/groups/:group_id/schedule/:schedule_id',
    {
      schema: {
        ...describeRoute('groups.schedule.modify', 'Change a cron'),
        params: scheduleParams,
        body: updateRefinementScheduleBody,
        response: { 200: wireRefinementSchedule },
      },
    },
    async ({ params, body }) => {
      const { id, timing } = await requireOf(context, params);
      const patch = definedFields({
        timing: changedCron(timing, body),
        paused: body.paused ?? undefined,
        note: body.note,
      });
      return toWireRefinementSchedule(await schedules.update(id, patch), new Date());
    },
  );
  app.delete(
    '/v1/groups/:group_id/schedule/:schedule_id',
    {
      schema: { ...describeRoute('groups.schedule.delete', 'Delete a cron'), params: scheduleParams },
    },
    async ({ params }) => {
      await schedules.delete((await requireOf(context, params)).id);
      return null;
    },
  );
}

function controlRoutes(app: App, context: RouteContext): void {
  const { schedules } = context;
  const control = (verb: string, summary: string, act: (id: string) => Promise<unknown>): void => {
    app.post(
      `/v1/groups/:group_id/schedule/:schedule_id/${verb}`,
      {
        schema: {
          ...describeRoute(`groups.schedule.${verb}`, summary),
          params: scheduleParams,
          response: { 200: wireRefinementSchedule },
        },
      },
      async ({ params }) => {
        const { id } = await requireOf(context, params);
        await act(id);
        return toWireRefinementSchedule(await schedules.retrieve(id), new Date());
      },
    );
  };
  control('pause', 'Pause a cron', (id) => schedules.update(id, { paused: true }));
  control('resume', 'Resume a paused cron', (id) => schedules.update(id, { paused: false }));
  control('trigger', 'Refine now, as the cron would', (id) => schedules.trigger(id));
}

/** The schedule, where it is the group's. Throws GroupNotFoundError and ScheduleNotFoundError. */
async function requireOf(
  { db, schedules }: RouteContext,
  params: z.infer<typeof scheduleParams>,
): Promise<Schedule> {
  await requireGroup(db, params.group_id);
  const schedule = await schedules.retrieve(params.schedule_id);
  if (schedule.groupId !== params.group_id) throw new ScheduleNotFoundError(schedule.id);
  return schedule;
}
