import { z } from 'zod';
import { requireGroup } from '../../schema/groups/groups.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { definedFields } from '../http/defined-fields.js';
import { pageFields } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { groupParams } from '../http/params-wire.js';
import { createResource } from '../http/resource.js';
import { changedCron, fromCron } from './crons-wire.js';
import {
  createRefinementScheduleBody,
  toWireRefinementSchedule,
  updateRefinementScheduleBody,
  wireRefinementSchedule,
} from './refinement-schedules-wire.js';
import { requireScheduleOf, scheduleControlRoutes } from './schedule-controls.js';

const path = '/v1/groups/:group_id/schedule';
const scheduleParams = groupParams.extend({ schedule_id: idOf('schedule') });
const listQuery = z.object(pageFields(idOf('schedule'), 50));

/** Crons that refine a group's memory. */
export function refinementScheduleRoutes(app: App, context: RouteContext): void {
  const { db, schedules } = context;
  const shared = {
    ...{ path, operations: 'groups.schedule' },
    ...{ params: scheduleParams, item: wireRefinementSchedule },
  };
  const crons = createResource(app, shared);
  crons.create(
    'Create a cron that refines a group’s memory',
    createRefinementScheduleBody,
    async ({ params, body }) => {
      const schedule = await schedules.scheduleRefinements({
        groupId: params.group_id,
        // A refinement takes all waiting messages: a second one at the same time would find none.
        timing: fromCron(body, 'skip'),
        paused: body.paused ?? false,
        note: body.note ?? null,
      });
      return toWireRefinementSchedule(await schedules.describe(schedule.id), new Date());
    },
  );
  crons.list(
    'List the crons of a group, oldest first',
    { query: listQuery, order: 'asc' },
    async ({ params }, page) => {
      const { id: groupId } = await requireGroup(db, params.group_id);
      const found = await schedules.list({ kind: 'refinement', groupId }, page);
      const now = new Date();
      return found.map((schedule) => toWireRefinementSchedule(schedule, now));
    },
  );
  crons.retrieve('Retrieve a cron with its next times and the outcome of past ones', async ({ params }) => {
    const { id } = await find(context, params);
    return toWireRefinementSchedule(await schedules.describe(id), new Date());
  });
  crons.change('modify', 'Change a cron', updateRefinementScheduleBody, async ({ params, body }) => {
    const { id, timing } = await find(context, params);
    const paused = body.paused ?? undefined;
    const patch = definedFields({ timing: changedCron(timing, body), paused, note: body.note });
    return toWireRefinementSchedule(await schedules.update(id, patch), new Date());
  });
  crons.delete('Delete a cron', async ({ params }) => schedules.delete((await find(context, params)).id));
  scheduleControlRoutes(app, schedules, {
    ...shared,
    path: `${path}/:schedule_id`,
    summaries: {
      pause: 'Pause a cron',
      resume: 'Resume a paused cron',
      trigger: 'Refine now, in addition to the cron',
    },
    find: (params) => find(context, params),
    show: (schedule) => toWireRefinementSchedule(schedule, new Date()),
  });
}

/** Throws GroupNotFoundError and ScheduleNotFoundError. */
async function find(
  { db, schedules }: RouteContext,
  { group_id: groupId, schedule_id: id }: z.infer<typeof scheduleParams>,
): Promise<Schedule> {
  await requireGroup(db, groupId);
  return requireScheduleOf(schedules, id, { groupId });
}
