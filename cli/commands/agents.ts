import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { addCommand, type Context } from '../command-context.js';
import { importAgentFile, type ImportOptions } from '../agent-files.js';
import { CommandFailure } from '../failure.js';
import { findAgent } from '../find-agent.js';
import { toAge } from '../render/times.js';
import type { WireAgent } from '../shapes.js';
import type { Terminal } from '../terminal.js';

interface CreateOptions {
  readonly model?: string;
  readonly embedding?: string;
  readonly human?: string;
  readonly persona?: string;
  readonly tag?: readonly string[];
  readonly sleeptime?: boolean;
}

/** `perdure agents …` */
export function agentCommands(program: Command, terminal: Terminal): void {
  const agents = program.command('agents').description('list, make, show, delete and move agents');
  addCommand(agents, terminal, { usage: 'list', description: 'list agents, the newest first' }, list)
    .option('--name <text>', 'only those with this name')
    .option('--tag <tag>', 'only those with this tag')
    .option('--limit <count>', 'at most so many', '50');
  addCommand(agents, terminal, { usage: 'create [name]', description: 'make an agent' }, create)
    .option('--model <handle>', 'its model, as perdure models shows them')
    .option('--embedding <handle>', 'its embedding model')
    .option('--human <text>', 'what it knows of the person that it talks with')
    .option('--persona <text>', 'who it is')
    .option('--tag <tag...>', 'tags')
    .option('--sleeptime', 'give it a partner that refines its memory while it sleeps');
  addCommand(agents, terminal, { usage: 'show <agent>', description: 'show an agent and its memory' }, show);
  addCommand(
    agents,
    terminal,
    { usage: 'delete <agent>', description: 'delete an agent for good' },
    remove,
  ).option('--yes', 'do not ask');
  addCommand(
    agents,
    terminal,
    { usage: 'export <agent>', description: 'write an agent file (.af)' },
    exportFile,
  ).option('-o, --output <file>', 'the file to write; default: to the standard output');
  addCommand(
    agents,
    terminal,
    { usage: 'import <file>', description: 'make the agents of an agent file (.af)' },
    importFile,
  )
    .option('--name <name>', "the first agent's name")
    .option('--model <handle>', 'for all its agents, instead of what the file says')
    .option('--embedding <handle>', 'for all its agents, instead of what the file says')
    .option('--no-messages', 'leave the transcripts out');
}

async function list(
  context: Context,
  { name, tag, limit }: { readonly name?: string; readonly tag?: string; readonly limit: string },
): Promise<void> {
  const found = await context.rest.get<WireAgent[]>('/v1/agents', { name, tags: tag, limit });
  const now = Date.now();
  context.result(found, () =>
    found.length === 0
      ? ['There are no agents. perdure agents create <name> makes one.']
      : context.table({
          head: ['name', 'id', 'model', 'type', 'made'],
          rows: found.map((one) => [
            ...[one.name, one.id, one.model ?? '', one.agent_type],
            toAge(one.created_at, now),
          ]),
        }),
  );
}

async function create(context: Context, name: string | undefined, options: CreateOptions): Promise<void> {
  const blocks = [
    ...(options.human === undefined ? [] : [{ label: 'human', value: options.human }]),
    ...(options.persona === undefined ? [] : [{ label: 'persona', value: options.persona }]),
  ];
  const agent = await context.rest.send<WireAgent>('POST', '/v1/agents', {
    name,
    model: options.model,
    embedding: options.embedding,
    tags: options.tag,
    enable_sleeptime: options.sleeptime,
    ...(blocks.length === 0 ? {} : { memory_blocks: blocks }),
  });
  context.result(agent, () => [`${agent.name}  ${agent.id}`]);
}

async function show(context: Context, wanted: string): Promise<void> {
  const agent = await findAgent(context, wanted);
  context.result(agent, () => renderAgent(agent, context));
}

function renderAgent(agent: WireAgent, { paint }: Pick<Context, 'paint'>): string[] {
  const facts: [string, string][] = [
    ['id', agent.id],
    ['model', agent.model ?? ''],
    ['embedding', agent.embedding ?? ''],
    ['type', agent.agent_type],
    ['made', new Date(agent.created_at).toLocaleString()],
    ['tags', agent.tags.join(', ')],
    ['tools', agent.tools.map(({ name }) => name).join(', ')],
    ['sleep-time group', agent.managed_group?.id ?? ''],
  ];
  const told = facts.filter(([, value]) => value !== '');
  const width = Math.max(...told.map(([title]) => title.length));
  return [
    paint.bold(agent.name),
    ...told.map(([title, value]) => `${paint.dim(title.padEnd(width))}  ${value}`),
    ...agent.blocks.flatMap((block) => [
      '',
      paint.dim(
        `${block.label}, ${block.value.length} of ${block.limit} characters, revision ${block.revision}`,
      ),
      block.value,
    ]),
  ];
}

async function remove(context: Context, wanted: string, { yes }: { readonly yes?: boolean }): Promise<void> {
  const agent = await findAgent(context, wanted);
  if (yes !== true) {
    if (!context.terminal.isInteractive)
      throw new CommandFailure(
        'usage',
        'There is no terminal to ask for confirmation. Add --yes to delete the agent.',
      );
    const question = `Delete ${agent.name} (${agent.id}) with all its messages and passages?`;
    if (!(await context.terminal.confirm(question))) return;
  }
  await context.rest.send('DELETE', `/v1/agents/${agent.id}`);
  context.result({ id: agent.id, deleted: true }, () => [`Deleted ${agent.name} (${agent.id}).`]);
}

async function exportFile(
  context: Context,
  wanted: string,
  { output }: { readonly output?: string },
): Promise<void> {
  const agent = await findAgent(context, wanted);
  const text = await (await context.rest.raw(`/v1/agents/${agent.id}/export`)).text();
  if (output === undefined) {
    context.terminal.write(`${text}\n`);
    return;
  }
  await writeFile(output, text);
  context.result({ id: agent.id, file: output }, () => [`${agent.name} is in ${output}.`]);
}

async function importFile(context: Context, file: string, options: ImportOptions): Promise<void> {
  const imported = await importAgentFile(context, file, options);
  context.result(imported, () => [...imported.agent_ids, ...(imported.notes ?? [])]);
}
