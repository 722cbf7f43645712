import type { Command } from 'commander';
import { readTurn } from '../turn-stream.js';
import { addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { findAgent } from '../find-agent.js';
import { createTurnLines } from '../render/turn-lines.js';
import { toDollars } from '../../core/models/dollars.js';
import { toAge, toFigure, toSpan } from '../render/times.js';
import type { WireRun, WireStep } from '../shapes.js';
import type { Terminal } from '../terminal.js';

/** `perdure runs …`: a run is a turn of an agent. */
export function runCommands(program: Command, terminal: Terminal): void {
  const runs = program
    .command('runs')
    .description("list, watch and cancel agents' turns, and see their steps");
  addCommand(runs, terminal, { usage: 'list [agent]', description: 'list turns, the newest first' }, list)
    .option('--active', 'only those that wait or run')
    .option('--limit <count>', 'at most so many', '20');
  addCommand(
    runs,
    terminal,
    { usage: 'watch <run>', description: 'follow a turn to its end; from its start, if it has ended' },
    watch,
  );
  addCommand(
    runs,
    terminal,
    {
      usage: 'steps <run>',
      description: 'show its model calls with their tokens and, where prices are known, their cost',
    },
    steps,
  );
  addCommand(runs, terminal, { usage: 'cancel <run>', description: 'end a turn at once' }, cancel);
}

async function list(
  context: Context,
  wanted: string | undefined,
  { active, limit }: { readonly active?: boolean; readonly limit: string },
): Promise<void> {
  const agent = wanted === undefined ? undefined : await findAgent(context, wanted);
  const query = { agent_id: agent?.id, limit, ...(active === true ? { active: true } : {}) };
  const runs = await context.rest.get<WireRun[]>('/v1/runs', query);
  const now = Date.now();
  context.result(runs, () =>
    runs.length === 0
      ? ['There are no turns.']
      : context.table({
          head: ['run', 'agent', 'status', 'stopped by', 'took', 'when', ...costHead(runs)],
          figures: [6],
          rows: runs.map((run) => [
            ...[run.id, run.agent_id.slice(0, 14), run.status, run.stop_reason ?? '', took(run)],
            ...[toAge(run.created_at, now), toDollars(run.cost)],
          ]),
        }),
  );
}

/** The column is only there where a cost is known. */
function costHead(priced: readonly { readonly cost: number | null }[]): readonly string[] {
  return priced.some(({ cost }) => cost !== null) ? ['cost'] : [];
}

/** The sum of all; null where one is not known. */
function sumOf(found: readonly WireStep[]): number | null {
  return found.reduce<number | null>(
    (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
    0,
  );
}

function took({ created_at: begun, completed_at: ended }: WireRun): string {
  return ended === null ? '' : toSpan(new Date(ended).getTime() - new Date(begun).getTime());
}

async function watch(context: Context, runId: string): Promise<void> {
  const { terminal, rest, json } = context;
  const lines = createTurnLines(context.paint);
  for await (const event of readTurn(rest, { runId })) {
    if (json) terminal.write(`${JSON.stringify(event)}\n`);
    else terminal.write(lines.show(event));
  }
  if (!json) terminal.write(lines.end());
  const run = await rest.get<WireRun>(`/v1/runs/${runId}`);
  if (run.status === 'failed')
    throw new CommandFailure('turnFailed', `The turn failed: ${run.stop_reason ?? ''}.`);
}

async function steps(context: Context, runId: string): Promise<void> {
  const found = await context.rest.get<WireStep[]>(`/v1/runs/${runId}/steps`, { order: 'asc', limit: 1000 });
  const sum = (pick: (step: WireStep) => number | null): string =>
    toFigure(found.reduce((total, step) => total + (pick(step) ?? 0), 0));
  context.result(found, () =>
    context.table({
      head: ['step', 'id', 'model', 'status', 'read', 'of it cached', 'written', ...costHead(found)],
      figures: [0, 4, 5, 6, 7],
      rows: [
        ...found.map((step, place) => [
          ...[String(place + 1), step.id, step.model_handle ?? '', step.status, toFigure(step.prompt_tokens)],
          ...[toFigure(step.cached_input_tokens), toFigure(step.completion_tokens), toDollars(step.cost)],
        ]),
        [
          ...['', '', 'all, in tokens', '', sum((step) => step.prompt_tokens)],
          ...[sum((step) => step.cached_input_tokens), sum((step) => step.completion_tokens)],
          toDollars(sumOf(found)),
        ],
      ],
    }),
  );
}

async function cancel(context: Context, runId: string): Promise<void> {
  const run = await context.rest.get<WireRun>(`/v1/runs/${runId}`);
  await context.rest.send('POST', `/v1/agents/${run.agent_id}/messages/cancel`, { run_ids: [runId] });
  const after = await context.rest.get<WireRun>(`/v1/runs/${runId}`);
  context.result(after, () => [`${runId} is ${after.status}.`]);
}
