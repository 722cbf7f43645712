/** Writes instants in one timezone. */
export interface Clockface {
  /** `2024-01-01 01:00:00 PM UTC+0000`: the form in which an agent is told the time. */
  readonly spoken: (instant: Date) => string;
  /** `2024-01-01T13:00:00+00:00`: the form that search results carry. */
  readonly iso: (instant: Date) => string;
}

/** Times in an IANA timezone; in UTC where the name is unknown, because a bad setting must not stop a turn. */
export function clockface(timezone: string): Clockface {
  const format = formatIn(timezone) ?? formatIn('UTC');
  const read = (instant: Date): Fields => fields(format, instant);
  return {
    spoken: (instant) => {
      const f = read(instant);
      const hour = Number(f.hour);
      const half = hour < 12 ? 'AM' : 'PM';
      const twelve = String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0');
      return `${f.year}-${f.month}-${f.day} ${twelve}:${f.minute}:${f.second} ${half} UTC${f.offset.replace(':', '')}`;
    },
    iso: (instant) => {
      const f = read(instant);
      return `${f.year}-${f.month}-${f.day}T${f.hour}:${f.minute}:${f.second}${f.offset}`;
    },
  };
}

type Fields = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'offset', string>;

function formatIn(timezone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  } catch {
    return undefined;
  }
}

function fields(format: Intl.DateTimeFormat | undefined, instant: Date): Fields {
  const parts = new Map<string, string>();
  for (const part of format?.formatToParts(instant) ?? []) parts.set(part.type, part.value);
  const get = (type: string): string => parts.get(type) ?? '';
  const offset = get('timeZoneName').replace('GMT', '');
  return {
    year: get('year').padStart(4, '0'),
    month: get('month'),
    day: get('day'),
    hour: get('hour'),
    minute: get('minute'),
    second: get('second'),
    offset: offset === '' ? '+00:00' : offset,
  };
}
