import type { Paint } from './paint.js';

/** A table of texts. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of figures, by their place: they end at the right. */
  readonly figures?: readonly number[];
}

const gap = 2;
const leastWidth = 8;

/**
 * Lines of a table that fit the terminal: the widest column gives way, and what does not fit is cut with an ellipsis. A
 * cell with several lines shows its first.
 */
export function renderTable({ head, rows, figures = [] }: Table, paint: Paint, columns: number): string[] {
  const cells = rows.map((row) => head.map((_, place) => toLine(row[place] ?? '')));
  const widths = fit(
    head.map((title, place) => Math.max(title.length, ...cells.map((row) => row[place]?.length ?? 0))),
    columns,
  );
  const lay = (row: readonly string[]): string =>
    row
      .map((cell, place) => {
        const width = widths[place] ?? 0;
        const text = cut(cell, width);
        return figures.includes(place) ? text.padStart(width) : text.padEnd(width);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return [paint.dim(lay(head)), ...cells.map(lay)];
}

/** The text, cut to this length. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** The text on one line. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function fit(widths: number[], columns: number): number[] {
  const fitted = [...widths];
  const total = (): number => fitted.reduce((sum, width) => sum + width + gap, -gap);
  while (total() > columns) {
    const widest = fitted.indexOf(Math.max(...fitted));
    const width = fitted[widest] ?? 0;
    if (width <= leastWidth) break;
    fitted[widest] = Math.max(leastWidth, width - (total() - columns));
  }
  return fitted;
}
