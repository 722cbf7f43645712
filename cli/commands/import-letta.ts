import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addCommand, type Context } from '../command-context.js';
import { CommandFailure, refusalOf } from '../failure.js';
import { importAgentFile, type ImportOptions } from '../agent-files.js';
import type { Terminal } from '../terminal.js';
import { importDatabase } from './import-letta-database.js';

/** `perdure import-letta` */
export function importLettaCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    terminal,
    {
      usage: 'import-letta [folder]',
      description:
        "make the agents of a folder of Letta's agent files (.af), or of a Letta server's database",
    },
    importLetta,
  )
    .option(
      '--database <url>',
      'the Postgres of a Letta server (0.16), such as postgres://letta:…@host/letta',
    )
    .option('--replace-tools', 'from a database: replace custom tools of the same name that differ')
    .option('--model <handle>', 'for all agents, instead of its own')
    .option('--embedding <handle>', 'for all agents, instead of its own')
    .option('--no-messages', 'leave the transcripts out');
}

interface LettaOptions extends ImportOptions {
  readonly database?: string;
  readonly replaceTools?: boolean;
}

async function importLetta(
  context: Context,
  folder: string | undefined,
  { database, replaceTools, ...options }: LettaOptions,
): Promise<void> {
  if ((folder === undefined) === (database === undefined))
    throw new CommandFailure('usage', 'Name a folder of agent files, or a database with --database.');
  if (database !== undefined)
    await importDatabase(context, database, { ...options, keepsTools: replaceTools !== true });
  else if (folder !== undefined) await importFolder(context, folder, options);
}

interface FileOutcome {
  readonly file: string;
  readonly agent_ids: readonly string[];
  readonly notes: readonly string[];
  readonly error?: string;
}

async function importFolder(context: Context, folder: string, options: ImportOptions): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new CommandFailure('usage', `${folder} can't be read: ${(error as Error).message}`);
  });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.af'))
    .map(({ name }) => name);
  if (files.length === 0) throw new CommandFailure('usage', `${folder} has no agent files (.af).`);
  const outcomes: FileOutcome[] = [];
  for (const file of files.sort()) {
    context.terminal.tell(`${file} …\n`);
    outcomes.push(await importOne(context, folder, file, options));
  }
  context.result(outcomes, () => [
    ...context.table({
      head: ['file', 'agents'],
      rows: outcomes.map(({ file, agent_ids: ids, error }) => [file, error ?? ids.join(' ')]),
    }),
    ...outcomes.flatMap(({ file, notes }) => notes.map((note) => `${file}: ${note}`)),
  ]);
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  if (failed > 0) throw new CommandFailure('failed', `${failed} of ${files.length} files were not imported.`);
}

/** One file that is refused does not keep the others out. */
async function importOne(
  context: Context,
  folder: string,
  file: string,
  options: ImportOptions,
): Promise<FileOutcome> {
  try {
    const { agent_ids, notes = [] } = await importAgentFile(context, join(folder, file), options);
    return { file, agent_ids, notes };
  } catch (error) {
    return { file, agent_ids: [], notes: [], error: refusalOf(error).message };
  }
}
