import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const steps: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago, or in how long: `2 min. ago`. */
function toRelative(date: Date, now: Date): string {
  let amount = (date.getTime() - now.getTime()) / 1_000;
  if (Math.abs(amount) < 5) return 'just now';
  for (const [size, unit] of steps) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return relative.format(Math.round(amount), 'year');
}

/** A time as people say it, with the exact one on hover. */
export function Time({ value }: { readonly value: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(value);
  return (
    <Tooltip label={exact.format(date)}>
      <Text component="time" dateTime={value} size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {toRelative(date, now)}
      </Text>
    </Tooltip>
  );
}

/** A duration: `48 ms`, `1.2 s`, `3 min`. */
export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
