import { readAsOf, renderBlock } from '../commands/blocks.js';
import { CommandFailure } from '../failure.js';
import { findBlocks } from '../find-block.js';
import { renderContext, type WireContext } from '../render/context-bar.js';
import { renderChange } from '../render/diff.js';
import type { WireAgent, WireBlock } from '../shapes.js';
import { watchMemory } from './memory-changes.js';
import type { Chat } from './talk.js';

interface Slash {
  readonly usage: string;
  readonly description: string;
  run(chat: Chat, argument: string): Promise<readonly string[]>;
}

const commands: readonly Slash[] = [
  { usage: '/memory [label]', description: 'show core memory', run: showMemory },
  { usage: '/undo [label]', description: 'take the last change of a block back', run: undo },
  { usage: '/context', description: 'show what fills the context window', run: showContext },
  {
    usage: '/as-of <when>',
    description: 'show core memory as it was: 2026-11-22T09:30Z, 14:05, or -10m',
    run: showAsOf,
  },
  { usage: '/fork [name]', description: 'go on with a copy of the agent as it is now', run: fork },
  { usage: '/help', description: 'this', run: () => Promise.resolve(help()) },
  {
    usage: '/quit',
    description: 'leave; so does Ctrl-D. Ctrl-C cancels a turn',
    run: () => Promise.resolve([]),
  },
];

/** Carries out a line that begins with a slash. Throws CommandFailure. */
export async function runSlash(chat: Chat, line: string): Promise<void> {
  const [word = '', ...rest] = line.split(/\s+/);
  const command = commands.find(({ usage }) => usage.split(' ')[0] === word);
  if (command === undefined)
    throw new CommandFailure('usage', `There is no ${word}. /help shows what there is.`);
  const lines = await command.run(chat, rest.join(' '));
  if (lines.length > 0) chat.context.terminal.write(`${lines.join('\n')}\n`);
}

function help(): string[] {
  return commands.map(({ usage, description }) => `${usage.padEnd(18)}${description}`);
}

async function showMemory({ context, agent }: Chat, label: string): Promise<readonly string[]> {
  const blocks = await findBlocks(context, agent.id, label === '' ? undefined : label);
  return blocks.flatMap((block) => renderBlock(context, block));
}

async function showAsOf({ context, agent }: Chat, when: string): Promise<readonly string[]> {
  const blocks = await findBlocks(context, agent.id, undefined);
  const time = toTime(when, new Date());
  const then = await Promise.all(blocks.map((block) => readAsOf(context, block, time)));
  return then.flatMap((block) => renderBlock(context, block));
}

/** A time as people type it: of day (`14:05`), so long ago (`-10m`), or ISO 8601. Throws CommandFailure. */
export function toTime(text: string, now: Date): string {
  const ago = /^-(\d+)\s*([smhd])$/.exec(text);
  if (ago !== null) {
    const ms = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[ago[2] as 's' | 'm' | 'h' | 'd'];
    return new Date(now.getTime() - Number(ago[1]) * ms).toISOString();
  }
  const ofDay = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text);
  const time = ofDay === null ? new Date(text) : new Date(now);
  if (ofDay !== null) time.setHours(Number(ofDay[1]), Number(ofDay[2]), Number(ofDay[3] ?? 0), 0);
  if (Number.isNaN(time.getTime()))
    throw new CommandFailure('usage', `'${text}' is no time. Write 14:05, -10m or 2026-11-22T09:30Z.`);
  return time.toISOString();
}

async function undo(chat: Chat, label: string): Promise<readonly string[]> {
  const { context, agent, memory } = chat;
  const blocks = await findBlocks(context, agent.id, label === '' ? undefined : label);
  const lastId = memory.lastChanged()?.id;
  const block = label === '' ? blocks.find(({ id }) => id === lastId) : blocks[0];
  if (block === undefined) {
    const labels = blocks.map((one) => one.label).join(', ');
    throw new CommandFailure('usage', `No block changed in this talk. Say which: /undo ${labels}`);
  }
  const changed = await context.rest.send<WireBlock>('POST', `/v1/blocks/${block.id}/undo`);
  // So that the next turn does not show it as news.
  await memory.next();
  return [
    `${block.label} is at revision ${changed.revision}.`,
    ...renderChange(block.value, changed.value, context.paint),
  ];
}

async function showContext({ context, agent }: Chat): Promise<readonly string[]> {
  return renderContext(await context.rest.get<WireContext>(`/v1/agents/${agent.id}/context`), context.paint);
}

async function fork(chat: Chat, name: string): Promise<readonly string[]> {
  const { context, agent } = chat;
  const copy = await context.rest.send<WireAgent>('POST', `/v1/agents/${agent.id}/fork`, {
    name: name === '' ? `${agent.name} (fork)` : name,
  });
  chat.agent = copy;
  chat.memory = await watchMemory(context, copy.id);
  return [`You talk with ${copy.name} (${copy.id}) now. ${agent.name} stays as it is.`];
}
