import type { Command } from 'commander';
import { type Action, addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { findAgent } from '../find-agent.js';
import { toAge } from '../render/times.js';
import type { Terminal } from '../terminal.js';

interface WireSchedule {
  readonly id: string;
  readonly message: { readonly messages: readonly { readonly content?: unknown }[] };
  readonly next_scheduled_time: string | null;
  readonly schedule: {
    readonly type?: string;
    readonly cron_expression?: string;
    readonly timezone?: string;
  };
  readonly paused: boolean;
}

interface CreateOptions {
  readonly cron?: string;
  readonly at?: string;
  readonly timezone?: string;
}

/** `perdure schedules …`: messages that an agent is sent at times. */
export function scheduleCommands(program: Command, terminal: Terminal): void {
  const schedules = program.command('schedules').description('messages that an agent is sent at times');
  const add = (usage: string, description: string, action: Action): Command =>
    addCommand(schedules, terminal, { usage, description }, action);
  add('list <agent>', "list an agent's schedules with their next times", list);
  add('create <agent> <message>', 'send a message once, or by cron', create)
    .option('--cron <expression>', 'by cron: "0 8 * * 1-5"')
    .option('--at <time>', 'once, at this time (ISO 8601)')
    .option('--timezone <name>', "the cron's time zone", 'UTC');
  for (const [verb, description] of [
    ['pause', 'send nothing until it is resumed'],
    ['resume', 'go on with a schedule'],
    ['trigger', 'send it now, too'],
  ] as const) {
    add(`${verb} <agent> <schedule>`, description, async (context, wanted: string, id: string) => {
      const agent = await findAgent(context, wanted);
      await context.rest.send('POST', `/v1/agents/${agent.id}/schedule/${id}/${verb}`);
      context.result({ id, done: verb }, () => [`${id}: ${verb} is done.`]);
    });
  }
  add('delete <agent> <schedule>', 'delete a schedule', async (context, wanted: string, id: string) => {
    const agent = await findAgent(context, wanted);
    await context.rest.send('DELETE', `/v1/agents/${agent.id}/schedule/${id}`);
    context.result({ id, deleted: true }, () => [`Deleted ${id}.`]);
  });
}

async function list(context: Context, wanted: string): Promise<void> {
  const agent = await findAgent(context, wanted);
  const { scheduled_messages: found } = await context.rest.get<{ scheduled_messages: WireSchedule[] }>(
    `/v1/agents/${agent.id}/schedule`,
  );
  const now = Date.now();
  context.result(found, () =>
    found.length === 0
      ? [`${agent.name} has no schedules.`]
      : context.table({
          head: ['schedule', 'when', 'next', 'message'],
          rows: found.map((one) => [
            ...[one.id, one.paused ? 'paused' : whenOf(one), toAge(one.next_scheduled_time, now)],
            one.message.messages
              .map(({ content }) => (typeof content === 'string' ? content : '…'))
              .join(' '),
          ]),
        }),
  );
}

function whenOf({ schedule }: WireSchedule): string {
  return schedule.cron_expression === undefined
    ? 'once'
    : `${schedule.cron_expression} ${schedule.timezone ?? ''}`.trim();
}

async function create(context: Context, wanted: string, text: string, options: CreateOptions): Promise<void> {
  const agent = await findAgent(context, wanted);
  const made = await context.rest.send<{ id: string; next_scheduled_at?: string }>(
    'POST',
    `/v1/agents/${agent.id}/schedule`,
    { messages: [{ role: 'user', content: text }], schedule: timingOf(options) },
  );
  context.result(made, () => [made.id]);
}

function timingOf({ cron, at, timezone }: CreateOptions): object {
  if (cron !== undefined && at === undefined) return { type: 'recurring', cron_expression: cron, timezone };
  const time = at === undefined ? NaN : new Date(at).getTime();
  if (cron !== undefined || Number.isNaN(time))
    throw new CommandFailure('usage', 'Say when: --cron "0 8 * * 1-5", or --at 2026-12-24T18:00:00Z.');
  return { type: 'one-time', scheduled_at: time };
}
