/** A stretch of time that a search is narrowed to; both ends included. */
export interface Stretch {
  readonly from?: Date;
  readonly to?: Date;
}

/**
 * The stretch that two ISO 8601 texts mean. A date alone is its first instant as a start and its last one as an end.
 * Returns the text that can't be read where there is one, or is none of the years 1 to 9999.
 */
export function readStretch(start: string, end: string): Stretch | { readonly unreadable: string } {
  const from = start === '' ? undefined : new Date(start);
  const to = end === '' ? undefined : endOf(end);
  if (from !== undefined && !isStorable(from)) return { unreadable: start };
  if (to !== undefined && !isStorable(to)) return { unreadable: end };
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** Dates reach further than the database's times: what it refuses would be tried again and again. */
function isStorable(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

const dateAlone = /^\d{4}-\d{2}-\d{2}$/;

function endOf(text: string): Date {
  return dateAlone.test(text.trim()) ? new Date(`${text.trim()}T23:59:59.999Z`) : new Date(text);
}

/** What the model reads where a date can't be read. */
export function unreadableDate(text: string): string {
  return `'${text}' is not a date that can be read. Write ISO 8601, such as 2024-01-15 or 2024-01-15T14:30.`;
}
