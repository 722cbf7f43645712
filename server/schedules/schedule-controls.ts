import type { FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { Schedules } from '../../client/schedules.js';
import { ScheduleNotFoundError } from '../../schema/schedules/errors.js';
import type { Schedule } from '../../schema/schedules/schedules.js';
import type { App } from '../deps.js';
import type { CheckedRequest } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

interface Controls<Params extends z.ZodObject, Item extends z.ZodType> {
  /** The path of one schedule. */
  readonly path: string;
  /** The operations' name in Letta's clients, without the verb. */
  readonly operations: string;
  readonly params: Params;
  readonly item: Item;
  readonly summaries: Readonly<Record<'pause' | 'resume' | 'trigger', string>>;
  /** The schedule that the path names. */
  readonly find: (params: z.output<Params>) => Promise<Schedule>;
  readonly show: (schedule: Schedule) => z.input<Item>;
}

/** Pausing, resuming and firing a schedule: the same for messages and for refinements. Each answers with the schedule. */
export function scheduleControlRoutes<Params extends z.ZodObject, Item extends z.ZodType>(
  app: App,
  schedules: Schedules,
  { path, operations, params, item, summaries, find, show }: Controls<Params, Item>,
): void {
  const acts = {
    pause: (id: string) => schedules.update(id, { paused: true }),
    resume: (id: string) => schedules.update(id, { paused: false }),
    trigger: (id: string) => schedules.trigger(id),
  };
  for (const verb of ['pause', 'resume', 'trigger'] as const) {
    const documentation = describeRoute(`${operations}.${verb}`, summaries[verb]);
    const schema: FastifySchema = { ...documentation, params, response: { 200: item } };
    app.post(`${path}/${verb}`, { schema }, async (request) => {
      // Fastify has checked the path by `params`; the compiler can't follow a schema that is a parameter.
      const { id } = await find((request as CheckedRequest<z.output<Params>>).params);
      await acts[verb](id);
      return show(await schedules.retrieve(id));
    });
  }
}

/** The schedule with this id, where it belongs to the one that the path names. Throws ScheduleNotFoundError. */
export async function requireScheduleOf(
  schedules: Schedules,
  id: string,
  owner: Partial<Pick<Schedule, 'agentId' | 'groupId' | 'kind'>>,
): Promise<Schedule> {
  const schedule = await schedules.retrieve(id);
  const isOwn = Object.entries(owner).every(([field, value]) => schedule[field as keyof Schedule] === value);
  if (!isOwn) throw new ScheduleNotFoundError(id);
  return schedule;
}
