/** A series of measurements: its length, median and 95th percentile. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
}

/** Options of the command line, given as `--name=value`. */
export type Flags = Readonly<Record<string, string>>;

/** The nearest-rank percentiles of a series; NaN for an empty one. */
export function summarise(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
  return { count: sorted.length, p50: rank(0.5), p95: rank(0.95) };
}

/** A table in Markdown, its columns aligned. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** A number for a table, with at least three digits. */
export function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A figure for a table, with its aim and whether it is met. */
export function judged(value: number, aim: number, better: 'lower' | 'higher'): string {
  const isMet = better === 'lower' ? value <= aim : value >= aim;
  return `${shown(value)} (aim ${better === 'lower' ? '≤' : '≥'} ${aim}: ${isMet ? 'met' : 'MISSED'})`;
}

/** Makes the process end with an error if a promise was broken. */
export function requireKept(isKept: boolean): void {
  if (!isKept) process.exitCode = 1;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Does it so many times, one after another. Returns how long each took, in ms. */
export async function timed(count: number, act: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  return times;
}
