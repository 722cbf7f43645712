import { runCommandLine } from '../../../cli/run.js';
import type { Terminal } from '../../../cli/terminal.js';

/** What a command line left behind. */
export interface Ended {
  readonly code: number;
  /** The result. */
  readonly output: string;
  /** What was told beside it. */
  readonly told: string;
}

/** A person in front of the terminal. */
export interface Person {
  /** What they type, line by line; a function sees what was written so far. */
  readonly types?: readonly (string | ((output: string) => string))[];
  readonly confirms?: boolean;
  readonly edits?: (text: string) => string;
  /** What is waited for before the editor is closed. */
  readonly afterEdit?: () => Promise<unknown>;
  /** Presses Ctrl-C as soon as the output holds this. */
  readonly interruptsAt?: string;
}

/** Runs a command line as a user does, without a process of its own; at a terminal where there is a person. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  person?: Person,
): Promise<Ended> {
  let output = '';
  let told = '';
  const typed = [...(person?.types ?? [])];
  let onInterrupt: (() => void) | undefined;
  let isInterrupted = false;
  const terminal: Terminal = {
    env,
    isInteractive: person !== undefined,
    columns: 120,
    colours: false,
    write(text) {
      output += text;
      const marker = person?.interruptsAt;
      if (marker === undefined || isInterrupted || !output.includes(marker)) return;
      isInterrupted = true;
      onInterrupt?.();
    },
    tell(text) {
      told += text;
    },
    confirm: () => Promise.resolve(person?.confirms === true),
    choose: (_question, choices) => Promise.resolve(choices[0]?.value),
    async edit(text) {
      const edited = person?.edits?.(text) ?? text;
      await person?.afterEdit?.();
      return edited;
    },
    openInput: () => ({
      next(prompt) {
        output += prompt;
        const next = typed.shift();
        const line = typeof next === 'function' ? next(output) : next;
        if (line !== undefined) output += `${line}\n`;
        return Promise.resolve(line);
      },
      onInterrupt(handler) {
        onInterrupt = handler;
      },
      close: () => undefined,
    }),
  };
  const code = await runCommandLine(args, terminal);
  return { code, output, told };
}
