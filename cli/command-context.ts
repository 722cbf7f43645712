import type { Command } from 'commander';
import { createPaint, type Paint } from './render/paint.js';
import { renderTable, type Table } from './render/table.js';
import { createRest, findServer, type Rest } from './server.js';
import type { Terminal } from './terminal.js';

/** Options that every command takes. */
export interface CommonOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** What a command works with. */
export interface Context {
  readonly rest: Rest;
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly json: boolean;
  /** The result: for programs as JSON, for people as these lines. */
  result(value: unknown, lines: () => readonly string[]): void;
  table(table: Table): readonly string[];
}

function createContext(command: Command, terminal: Terminal): Context {
  const options: CommonOptions = command.optsWithGlobals();
  const paint = createPaint(terminal.colours);
  const json = options.json === true;
  return {
    rest: createRest(findServer(options, terminal.env)),
    terminal,
    paint,
    json,
    result(value, lines) {
      const text = json ? [JSON.stringify(value ?? null, null, 2)] : lines();
      if (text.length > 0) terminal.write(`${text.join('\n')}\n`);
    },
    table: (table) => renderTable(table, paint, terminal.columns),
  };
}

/** What a command does with its arguments and options, as commander hands them over. */
export type Action = (context: Context, ...given: never[]) => Promise<void>;

/** Adds a command; its action gets the context before the arguments and options. */
export function addCommand(
  parent: Command,
  terminal: Terminal,
  { usage, description }: { readonly usage: string; readonly description: string },
  action: Action,
): Command {
  return parent
    .command(usage)
    .description(description)
    .action(async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      // Arguments and options are as the usage names them, which the compiler can't see.
      await action(createContext(command, terminal), ...(given.slice(0, -1) as never[]));
    });
}
