/** The headers of an answer, by name. */
export interface HeadersLike {
  get(name: string): string | null;
}

/**
 * How long the other side asked us to wait, in ms: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
 */
export function readRetryAfter(headers: HeadersLike | undefined, now: number): number | undefined {
  const inMs = toNumber(headers?.get('retry-after-ms'));
  if (inMs !== undefined) return inMs;
  const header = headers?.get('retry-after');
  const inSeconds = toNumber(header);
  if (inSeconds !== undefined) return Math.round(inSeconds * 1000);
  const date = Date.parse(header ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function toNumber(text: string | null | undefined): number | undefined {
  if (text == null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}
