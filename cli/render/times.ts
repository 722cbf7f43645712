const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** How long ago, in one unit: `5 min ago`; `in 3 h` where it is to come. Empty for no time. */
export function toAge(time: string | null | undefined, now: number): string {
  if (time == null) return '';
  const ms = now - new Date(time).getTime();
  const said = toSpan(Math.abs(ms));
  if (Math.abs(ms) < 1_000) return 'now';
  return ms < 0 ? `in ${said}` : `${said} ago`;
}

/** A span of time in one unit: `12 s`; below a second in ms. */
export function toSpan(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? ['ms', 1];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** A figure with thousands apart: `12 345`. */
export function toFigure(figure: number | null | undefined): string {
  return figure == null ? '' : String(figure).replace(/\B(?=(\d{3})+$)/g, ' ');
}
