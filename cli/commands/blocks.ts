import type { Command } from 'commander';
import { type Action, addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { findBlock, findBlocks } from '../find-block.js';
import { paintUnified, renderChange } from '../render/diff.js';
import { toAge } from '../render/times.js';
import type { WireBlock, WireRevision } from '../shapes.js';
import type { Terminal } from '../terminal.js';

const which = 'An agent and a label (sam human), or the id of a block.';

/** `perdure blocks …` */
export function blockCommands(program: Command, terminal: Terminal): void {
  const blocks = program.command('blocks').description('read and edit core memory, and its history');
  const add = (usage: string, description: string, action: Action): Command =>
    addCommand(blocks, terminal, { usage, description }, action).addHelpText('after', `\n${which}`);
  add('show <agent-or-block> [label]', 'show all blocks of an agent, or one', show).option(
    '--as-of <when>',
    'as it was then: a revision, or a time (ISO 8601)',
  );
  add('edit <agent-or-block> [label]', 'edit a block in $EDITOR', edit)
    .option('--append <text>', 'add a line instead of opening the editor')
    .option('--set <text>', 'set the value instead of opening the editor');
  add('history <agent-or-block> [label]', 'list revisions, the newest first', history).option(
    '--limit <count>',
    'at most so many',
    '20',
  );
  add('diff <agent-or-block> [label]', 'show what the last change did, or what happened since', diff)
    .option('--from <revision>', 'the earlier revision')
    .option('--to <revision>', 'the later revision; default: the newest');
  add('blame <agent-or-block> [label]', 'say of each line who wrote it, and when', blame);
  add('undo <agent-or-block> [label]', 'take the last change back', (context: Context, ...args: string[]) =>
    step(context, 'undo', args),
  );
  add(
    'redo <agent-or-block> [label]',
    'make the change again that was taken back last',
    (context: Context, ...args: string[]) => step(context, 'redo', args),
  );
}

async function show(
  context: Context,
  wanted: string,
  label: string | undefined,
  { asOf }: { readonly asOf?: string },
): Promise<void> {
  const found = await findBlocks(context, wanted, label);
  const blocks =
    asOf === undefined ? found : await Promise.all(found.map((one) => readAsOf(context, one, asOf)));
  context.result(label === undefined && !wanted.startsWith('block-') ? blocks : blocks[0], () =>
    blocks.flatMap((block, place) => [...(place === 0 ? [] : ['']), ...renderBlock(context, block)]),
  );
}

/** The block with its value as it was. Throws CommandFailure. */
export async function readAsOf(
  { rest }: Pick<Context, 'rest'>,
  block: WireBlock,
  when: string,
): Promise<WireBlock> {
  const query = /^\d+$/.test(when) ? { revision: when } : { at: toInstant(when) };
  const then = await rest.get<{ revision: number; value: string }>(`/v1/blocks/${block.id}/as-of`, query);
  return { ...block, revision: then.revision, value: then.value };
}

function toInstant(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new CommandFailure(
      'usage',
      `'${text}' is no revision and no time. Write 2026-11-22T09:30:00Z, say.`,
    );
  }
  // Times to the microsecond stay what they are.
  return /T.*(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : time.toISOString();
}

/** A block for people: its figures, and its value. */
export function renderBlock({ paint }: Pick<Context, 'paint'>, block: WireBlock): string[] {
  const flags = block.read_only ? ', read-only' : '';
  const figures = `${block.value.length} of ${block.limit} characters, revision ${block.revision}${flags}`;
  return [
    `${paint.bold(block.label)}  ${paint.dim(figures)}`,
    block.value === '' ? paint.dim('(empty)') : block.value,
  ];
}

async function edit(
  context: Context,
  wanted: string,
  label: string | undefined,
  { append, set }: { readonly append?: string; readonly set?: string },
): Promise<void> {
  const block = await findBlock(context, wanted, label);
  const edited =
    append === undefined ? await writeValue(context, block, set) : await appendLine(context, block, append);
  context.result(edited, () =>
    edited.revision === block.revision
      ? ['Nothing changed.']
      : [
          `${block.label} is at revision ${edited.revision}.`,
          ...renderChange(block.value, edited.value, context.paint),
        ],
  );
}

function appendLine({ rest }: Context, block: WireBlock, content: string): Promise<WireBlock> {
  return rest.send('POST', `/v1/blocks/${block.id}/operations`, { kind: 'append', content });
}

/** Writes the value over the revision that was read. A later revision by others is a conflict, and is kept. */
async function writeValue(context: Context, block: WireBlock, set: string | undefined): Promise<WireBlock> {
  const { rest, terminal } = context;
  if (set === undefined && !terminal.isInteractive)
    throw new CommandFailure('usage', 'There is no terminal for an editor. Use --set or --append.');
  // Editors end the last line; a block's value need not.
  const written = set ?? (await terminal.edit(`${block.value}\n`, block.label)).replace(/\n$/, '');
  if (written === block.value) return block;
  const answer = await rest.raw(`/v1/blocks/${block.id}`, {
    method: 'PATCH',
    headers: { 'if-match': `"${block.revision}"` },
    body: JSON.stringify({ value: written }),
  });
  return (await answer.json()) as WireBlock;
}

async function history(
  context: Context,
  wanted: string,
  label: string | undefined,
  { limit }: { readonly limit: string },
): Promise<void> {
  const block = await findBlock(context, wanted, label);
  const revisions = await context.rest.get<WireRevision[]>(`/v1/blocks/${block.id}/revisions`, { limit });
  const now = Date.now();
  context.result(revisions, () =>
    context.table({
      head: ['revision', 'change', 'by', 'agent', 'run', 'when'],
      figures: [0],
      rows: revisions.map((one) => [
        ...[String(one.revision), one.operation.kind, one.actor, short(one.agent_id), one.run_id ?? ''],
        toAge(one.created_at, now),
      ]),
    }),
  );
}

async function diff(
  context: Context,
  wanted: string,
  label: string | undefined,
  { from, to }: { readonly from?: string; readonly to?: string },
): Promise<void> {
  const block = await findBlock(context, wanted, label);
  const found = await context.rest.get<{ from: number; to: number; difference: string }>(
    `/v1/blocks/${block.id}/diff`,
    { from, to: to ?? (from === undefined ? undefined : block.revision) },
  );
  context.result(found, () => [
    context.paint.dim(`${block.label}, revision ${found.from} to ${found.to}`),
    ...(found.difference === '' ? ['No difference.'] : paintUnified(found.difference, context.paint)),
  ]);
}

async function blame(context: Context, wanted: string, label: string | undefined): Promise<void> {
  const block = await findBlock(context, wanted, label);
  const lines = await context.rest.get<(WireRevision & { readonly text: string })[]>(
    `/v1/blocks/${block.id}/blame`,
  );
  const now = Date.now();
  context.result(lines, () =>
    context.table({
      head: ['revision', 'by', 'agent', 'step', 'when', 'line'],
      figures: [0],
      rows: lines.map((one) => [
        ...[String(one.revision), one.actor, short(one.agent_id), short(one.step_id)],
        ...[toAge(one.created_at, now), one.text],
      ]),
    }),
  );
}

async function step(
  context: Context,
  direction: 'undo' | 'redo',
  [wanted = '', label]: string[],
): Promise<void> {
  const block = await findBlock(context, wanted, label);
  const changed = await context.rest.send<WireBlock>('POST', `/v1/blocks/${block.id}/${direction}`);
  context.result(changed, () => [
    `${block.label} is at revision ${changed.revision}.`,
    ...renderChange(block.value, changed.value, context.paint),
  ]);
}

/** The beginning of an id, which is enough to tell it from others of a page. */
function short(id: string | null): string {
  return id === null ? '' : id.slice(0, id.indexOf('-') + 9);
}
