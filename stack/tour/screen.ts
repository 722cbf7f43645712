import pc from 'picocolors';

/** Writes the tour: headings, steps of a turn, tables. Colours follow the terminal and NO_COLOR. */
export interface Screen {
  line(text?: string): void;
  /** A numbered act of the tour, with a line about what it shows. */
  act(title: string, about: string): void;
  /** Something said or done, behind a word for who or what it is; long lines are wrapped. */
  entry(word: string, text: string): void;
  good(text: string): void;
  bad(text: string): void;
  /** What happens during the tour. */
  aside(text: string): void;
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
}

const indent = '   ';
const wordWidth = 9;
/** How many characters an entry's line has besides its word. */
export const entryWidth = 96;

export function createScreen(write: (text: string) => void): Screen {
  const line = (text = ''): void => {
    write(`${text}\n`);
  };
  let acts = 0;
  return {
    line,
    act(title, about) {
      acts += 1;
      line();
      line(pc.bold(pc.cyan(`${acts}  ${title}`)));
      line(`${indent}${pc.dim(about)}`);
    },
    entry(word, text) {
      const [first = '', ...more] = text.split('\n').flatMap((one) => wrap(one, entryWidth));
      line(`${indent}${paint(word, word.padEnd(wordWidth))}${first}`);
      for (const one of more) line(`${indent}${' '.repeat(wordWidth)}${one}`);
    },
    good(text) {
      line(`${indent}${pc.green('✓')} ${text}`);
    },
    bad(text) {
      line(`${indent}${pc.red('✗')} ${text}`);
    },
    aside(text) {
      line(`${indent}${pc.dim(text)}`);
    },
    table(head, rows) {
      const widths = head.map((title, column) =>
        Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
      );
      const toLine = (cells: readonly string[]): string =>
        cells
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd();
      line(`${indent}${pc.dim(toLine(head))}`);
      for (const row of rows) line(`${indent}${toLine(row)}`);
    },
  };
}

/** The text as one line, cut to this length. */
export function cut(text: string, most: number): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}

function wrap(text: string, most: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function paint(word: string, text: string): string {
  if (word === 'you') return pc.bold(text);
  if (word === 'agent') return pc.bold(pc.magenta(text));
  if (word === 'calls') return pc.yellow(text);
  if (word === 'kill -9') return pc.bold(pc.red(text));
  return pc.dim(text);
}
