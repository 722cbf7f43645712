import { Command, CommanderError } from 'commander';
import { SettingsError } from '../adapters/settings/settings-error.js';
import { agentCommands } from './commands/agents.js';
import { blockCommands } from './commands/blocks.js';
import { chatCommand } from './commands/chat.js';
import { completionCommand } from './commands/completion.js';
import { doctorCommand } from './commands/doctor.js';
import { importLettaCommand } from './commands/import-letta.js';
import { modelsCommand } from './commands/models.js';
import { runCommands } from './commands/runs.js';
import { scheduleCommands } from './commands/schedules.js';
import { searchCommand } from './commands/search.js';
import { sleepCommands } from './commands/sleep.js';
import { CommandFailure, exitCodes } from './failure.js';
import { ownVersion } from './own-version.js';
import { programCommands } from './programs.js';
import type { Terminal } from './terminal.js';

/** Runs a command line and writes errors to the terminal. Resolves to the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal);
  try {
    await program.parseAsync(args.length === 0 ? ['quickstart'] : [...args], { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error, terminal);
  }
}

/** All commands. */
function createProgram(terminal: Terminal): Command {
  const program = new Command('perdure')
    .description('Agents that remember, and outlive a kill. Without a command: quickstart.')
    .version(ownVersion())
    .option('--url <url>', 'the server (PERDURE_URL; else the stack on this machine)')
    .option('--token <password>', "the server's password (PERDURE_TOKEN)")
    .option('--json', 'write JSON, for programs')
    .showSuggestionAfterError();
  program.commandsGroup('Programs:');
  for (const command of programCommands()) program.addCommand(command);
  program.commandsGroup('Commands:');
  chatCommand(program, terminal);
  const groups = [agentCommands, blockCommands, searchCommand, runCommands, scheduleCommands, sleepCommands];
  for (const add of [...groups, modelsCommand, doctorCommand, importLettaCommand, completionCommand])
    add(program, terminal);
  for (const command of [program, ...allBelow(program)]) {
    command.exitOverride();
    command.configureOutput({ writeOut: terminal.write, writeErr: terminal.tell });
  }
  return program;
}

function allBelow(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...allBelow(one)]);
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  // Commander has told of it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandFailure || error instanceof SettingsError) {
    terminal.tell(`${error.message}\n`);
    return error instanceof CommandFailure ? error.exitCode : exitCodes.usage;
  }
  terminal.tell(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
  return exitCodes.failed;
}
