/** The period of a search, inclusive. */
export interface Period {
  readonly from?: Date;
  readonly to?: Date;
}

/**
 * Reads the bounds of a period from two ISO 8601 texts. A date alone means its first instant as a start and its last
 * one as an end. A text that can't be read, or is not within the years 1 to 9999, is returned instead.
 */
export function readPeriod(start: string, end: string): Period | { readonly unreadable: string } {
  const from = start === '' ? undefined : new Date(start);
  const to = end === '' ? undefined : endOf(end);
  if (from !== undefined && !isStorable(from)) return { unreadable: start };
  if (to !== undefined && !isStorable(to)) return { unreadable: end };
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** JavaScript's dates reach further than the database's, which would refuse the query at every retry. */
function isStorable(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

const dateAlone = /^\d{4}-\d{2}-\d{2}$/;

function endOf(text: string): Date {
  return dateAlone.test(text.trim()) ? new Date(`${text.trim()}T23:59:59.999Z`) : new Date(text);
}

/** What the model reads for a date that can't be read. */
export function unreadableDate(text: string): string {
  return `'${text}' is not a valid date. Write ISO 8601, such as 2024-01-15 or 2024-01-15T14:30.`;
}
