import type { Command } from 'commander';
import { type Action, addCommand, type Context } from '../command-context.js';
import { findSleepGroup } from '../find-sleep-group.js';
import { toAge } from '../render/times.js';
import type { Terminal } from '../terminal.js';

interface WireRefinementSchedule {
  readonly id: string;
  readonly cron_expression: string;
  readonly timezone: string;
  readonly paused: boolean;
  readonly note: string | null;
  readonly next_times: readonly string[];
}

interface CreateOptions {
  readonly cron: string;
  readonly timezone: string;
  readonly note?: string;
}

/** `perdure sleep schedules …`: when an agent's memory is refined. */
export function sleepScheduleCommands(sleep: Command, terminal: Terminal): void {
  const schedules = sleep.command('schedules').description("when an agent's memory is refined");
  const add = (usage: string, description: string, action: Action): Command =>
    addCommand(schedules, terminal, { usage, description }, action);
  add('list <agent>', 'list the schedules with their next times', list);
  add('create <agent>', 'refine its memory by cron', create)
    .requiredOption('--cron <expression>', 'by cron: "0 3 * * *"')
    .option('--timezone <name>', "the cron's time zone", 'UTC')
    .option('--note <text>', 'what it is for');
  for (const [verb, description] of [
    ['pause', 'refine nothing until it is resumed'],
    ['resume', 'go on with a schedule'],
    ['trigger', 'refine now, too'],
  ] as const) {
    add(`${verb} <agent> <schedule>`, description, async (context, wanted: string, id: string) => {
      await context.rest.send('POST', `${await pathOf(context, wanted)}/${id}/${verb}`);
      context.result({ id, done: verb }, () => [`${id}: ${verb} is done.`]);
    });
  }
  add('delete <agent> <schedule>', 'delete a schedule', async (context, wanted: string, id: string) => {
    await context.rest.send('DELETE', `${await pathOf(context, wanted)}/${id}`);
    context.result({ id, deleted: true }, () => [`Deleted ${id}.`]);
  });
}

async function pathOf(context: Context, wanted: string): Promise<string> {
  const { group } = await findSleepGroup(context, wanted);
  return `/v1/groups/${group}/schedule`;
}

async function list(context: Context, wanted: string): Promise<void> {
  const { agent, group } = await findSleepGroup(context, wanted);
  const found = await context.rest.get<WireRefinementSchedule[]>(`/v1/groups/${group}/schedule`);
  const now = Date.now();
  context.result(found, () =>
    found.length === 0
      ? [`${agent.name}'s memory is refined by no schedule.`]
      : context.table({
          head: ['schedule', 'when', 'next', 'note'],
          rows: found.map((one) => [
            ...[one.id, one.paused ? 'paused' : `${one.cron_expression} ${one.timezone}`],
            ...[toAge(one.next_times[0] ?? null, now), one.note ?? ''],
          ]),
        }),
  );
}

async function create(context: Context, wanted: string, options: CreateOptions): Promise<void> {
  const made = await context.rest.send<WireRefinementSchedule>('POST', await pathOf(context, wanted), {
    ...{ cron_expression: options.cron, timezone: options.timezone, note: options.note },
  });
  context.result(made, () => [made.id]);
}
