/** What a command has to do with: the terminal, or a test in its place. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Characters in a line. */
  readonly columns: number;
  readonly colours: boolean;
  readonly write: (text: string) => void;
  /** Writes what is not the command's result: progress, warnings, errors. */
  readonly tell: (text: string) => void;
  /** A yes or no. */
  confirm(question: string): Promise<boolean>;
  /** One of several; undefined where the person wants none. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** The text as the person's editor leaves it. `name` tells the editor what it is. */
  edit(text: string, name: string): Promise<string>;
  /** Takes the input, to read it line by line. */
  openInput(): Input;
}

/** What a person may choose. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Lines that a person types. */
export interface Input {
  /** The next line, also one that was typed before it was asked for; undefined at the end of the input. */
  next(prompt: string): Promise<string | undefined>;
  /** Calls the handler at Ctrl-C instead of the one before; without one, Ctrl-C ends the input. */
  onInterrupt(handler: (() => void) | undefined): void;
  close(): void;
}
