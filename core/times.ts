import { createRecent } from './recently-used.js';

/** Formats instants in one timezone. */
export interface Clockface {
  /** `2024-01-01 01:00:00 PM UTC+0000`: the format of times in prompts. */
  readonly spoken: (instant: Date) => string;
  /** `2024-01-01T13:00:00+00:00`: the format of times in search results. */
  readonly iso: (instant: Date) => string;
}

/** A cache: timezone names are case-insensitive, so there are many spellings. */
const clockfaces = createRecent<string, Clockface>(500);
/** How many days' offsets to keep for a timezone. */
const mostDays = 2_000;

/** Times in an IANA timezone; in UTC where the name is unknown, because a bad setting must not stop a turn. */
export function clockface(timezone: string): Clockface {
  // Cached, because creating one takes longer than formatting the times of a whole conversation. Invalid names are
  // not
  // cached: there may be any number of them.
  const known = clockfaces.get(timezone);
  if (known !== undefined) return known;
  const format = formatIn(timezone);
  const made = clockfaceOf(format);
  if (format !== undefined) clockfaces.set(timezone, made);
  return made;
}

function clockfaceOf(format: Intl.DateTimeFormat | undefined): Clockface {
  const offsetAt = offsetsIn(format);
  return {
    spoken: (instant) => {
      const offset = offsetAt(instant);
      const [date = '', time = ''] = localTime(instant, offset).split('T');
      const hour = Number(time.slice(0, 2));
      const half = hour < 12 ? 'AM' : 'PM';
      const twelve = String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0');
      return `${date} ${twelve}${time.slice(2)} ${half} UTC${offset.replace(':', '')}`;
    },
    iso: (instant) => {
      const offset = offsetAt(instant);
      return `${localTime(instant, offset)}${offset}`;
    },
  };
}

/** Whether this is a valid timezone name. */
export function isTimezone(name: string): boolean {
  return formatIn(name) !== undefined;
}

function formatIn(timezone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * The offset at an instant, as `+05:45`. Intl is slow and a context formats every message's time, so the offset is
 * looked up once for each day that begins and ends with the same one.
 */
function offsetsIn(format: Intl.DateTimeFormat | undefined): (instant: Date) => string {
  if (format === undefined) return () => '+00:00';
  const days = createRecent<number, { readonly offset: string | undefined }>(mostDays);
  return (instant) => {
    const day = Math.floor(instant.getTime() / dayMs);
    const known = days.get(day);
    const { offset } = known ?? offsetOfDay(format, day);
    if (known === undefined) days.set(day, { offset });
    return offset ?? readOffset(format, instant);
  };
}

/** Undefined where the offset changes during the day. */
function offsetOfDay(format: Intl.DateTimeFormat, day: number): { readonly offset: string | undefined } {
  const first = readOffset(format, new Date(day * dayMs));
  const last = readOffset(format, new Date((day + 1) * dayMs));
  return { offset: first === last ? first : undefined };
}

function readOffset(format: Intl.DateTimeFormat, instant: Date): string {
  const part = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
  const offset = (part?.value ?? '').replace('GMT', '');
  return offset === '' ? '+00:00' : offset;
}

/** Local time at this offset: `2024-01-01T13:00:00`. */
function localTime(instant: Date, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const ahead = (offset.startsWith('-') ? -1 : 1) * (60 * hours + minutes) * minuteMs;
  return new Date(instant.getTime() + ahead).toISOString().slice(0, 19);
}
