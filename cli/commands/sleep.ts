import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Action, addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { paintUnified } from '../render/diff.js';
import { findSleepGroup } from '../find-sleep-group.js';
import { toAge, toFigure } from '../render/times.js';
import type { Terminal } from '../terminal.js';
import { sleepScheduleCommands } from './sleep-schedules.js';

interface WireRefinement {
  readonly id: string;
  readonly group_id: string;
  readonly request_id: string;
  readonly cause: string;
  readonly status: 'running' | 'in_review' | 'completed' | 'rejected' | 'failed';
  readonly error: { readonly message: string } | null;
  readonly tokens: number;
  readonly blocks: readonly { readonly label: string; readonly diff: string; readonly note: string | null }[];
  readonly created_at: string;
}

const pollMs = 500;

/** `perdure sleep …`: what an agent's partner does with its memory. */
export function sleepCommands(program: Command, terminal: Terminal): void {
  const sleep = program.command('sleep').description("refine an agent's memory, and judge what was refined");
  const add = (usage: string, description: string, action: Action): Command =>
    addCommand(sleep, terminal, { usage, description }, action);
  add('run <agent>', 'refine its memory now, and wait for the end', run).option(
    '--instructions <text>',
    'what to look for',
  );
  add('list <agent>', 'list refinements, the newest first', list);
  add(
    'show <agent> [refinement]',
    'show what a refinement changed, or would change; default: the newest',
    show,
  );
  add('accept <agent> [refinement]', 'merge what waits for review; default: the newest', judge('approve'));
  add('reject <agent> [refinement]', 'drop what waits for review; default: the newest', judge('reject'));
  sleepScheduleCommands(sleep, terminal);
}

async function run(
  context: Context,
  wanted: string,
  { instructions }: { readonly instructions?: string },
): Promise<void> {
  const { group } = await findSleepGroup(context, wanted);
  const { rest, terminal } = context;
  const asked = await rest.send<{ id: string }[]>('POST', `/v1/groups/${group}/refine`, { instructions });
  terminal.tell('Waiting for the refinement …\n');
  const ids = asked.map(({ id }) => id);
  while (await someWait(context, group, ids)) await delay(pollMs);
  const found = (await refinementsOf(context, group)).filter((one) => ids.includes(one.request_id));
  context.result(found, () =>
    found.length === 0
      ? ['There was nothing to refine.']
      : found.flatMap((one) => renderRefinement(context, one)),
  );
  const failed = found.find(({ status }) => status === 'failed');
  if (failed !== undefined)
    throw new CommandFailure('turnFailed', `The refinement failed: ${failed.error?.message ?? ''}`);
}

/** Whether a request has yet to be carried out, or a refinement of one of them to end. */
async function someWait(context: Context, group: string, ids: readonly string[]): Promise<boolean> {
  const read = (id: string): Promise<{ state: string }> =>
    context.rest.get(`/v1/groups/${group}/refine/${id}`);
  const requests = await Promise.all(ids.map(read));
  if (requests.some(({ state }) => state === 'waiting')) return true;
  const refinements = await refinementsOf(context, group);
  return refinements.some((one) => ids.includes(one.request_id) && one.status === 'running');
}

function refinementsOf({ rest }: Context, group: string): Promise<WireRefinement[]> {
  return rest.get(`/v1/groups/${group}/refinements`, { limit: 50 });
}

async function list(context: Context, wanted: string): Promise<void> {
  const found = await refinementsOf(context, (await findSleepGroup(context, wanted)).group);
  const now = Date.now();
  context.result(found, () =>
    found.length === 0
      ? ['There are no refinements.']
      : context.table({
          head: ['refinement', 'status', 'cause', 'blocks', 'tokens', 'when'],
          figures: [4],
          rows: found.map((one) => [
            ...[one.id, one.status, one.cause, one.blocks.map(({ label }) => label).join(', ')],
            ...[toFigure(one.tokens), toAge(one.created_at, now)],
          ]),
        }),
  );
}

async function pick(
  context: Context,
  wanted: string,
  id: string | undefined,
  isEligible: (one: WireRefinement) => boolean,
): Promise<WireRefinement> {
  const { group } = await findSleepGroup(context, wanted);
  if (id !== undefined) return context.rest.get(`/v1/groups/${group}/refinements/${id}`);
  const found = (await refinementsOf(context, group)).find(isEligible);
  if (found === undefined) throw new CommandFailure('notFound', 'There is no such refinement.');
  return found;
}

async function show(context: Context, wanted: string, id: string | undefined): Promise<void> {
  const one = await pick(context, wanted, id, () => true);
  context.result(one, () => renderRefinement(context, one));
}

function renderRefinement({ paint }: Context, one: WireRefinement): string[] {
  const changed = one.blocks.filter(({ diff }) => diff !== '');
  return [
    `${one.id}  ${paint.bold(one.status)}  ${paint.dim(`${toFigure(one.tokens)} tokens`)}`,
    ...(one.error === null ? [] : [paint.red(one.error.message)]),
    ...changed.flatMap(({ label, diff, note }) => [
      paint.bold(label),
      ...(note === null ? [] : [paint.dim(note)]),
      ...paintUnified(diff, paint),
    ]),
    ...(changed.length === 0 ? ['It changes no block.'] : []),
  ];
}

function judge(verdict: 'approve' | 'reject') {
  return async (context: Context, wanted: string, id: string | undefined): Promise<void> => {
    const one = await pick(context, wanted, id, ({ status }) => status === 'in_review');
    const path = `/v1/groups/${one.group_id}/refinements/${one.id}/${verdict}`;
    const judged = await context.rest.send<WireRefinement>(
      'POST',
      path,
      verdict === 'approve' ? {} : undefined,
    );
    context.result(judged, () => renderRefinement(context, judged));
  };
}
