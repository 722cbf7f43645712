import { describe, expect, it } from '@jest/globals';
import { clockface } from '../../core/times.js';

describe('clockface', () => {
  it.each([
    ['UTC', '2024-03-10T00:05:09Z', '2024-03-10 12:05:09 AM UTC+0000', '2024-03-10T00:05:09+00:00'],
    [
      'America/New_York',
      '2024-03-10T06:59:59Z',
      '2024-03-10 01:59:59 AM UTC-0500',
      '2024-03-10T01:59:59-05:00',
    ],
    // An hour is skipped in between: summer time begins.
    [
      'America/New_York',
      '2024-03-10T07:00:00Z',
      '2024-03-10 03:00:00 AM UTC-0400',
      '2024-03-10T03:00:00-04:00',
    ],
    [
      'Asia/Kathmandu',
      '2023-12-31T18:20:00Z',
      '2024-01-01 12:05:00 AM UTC+0545',
      '2024-01-01T00:05:00+05:45',
    ],
    [
      'America/St_Johns',
      '2024-01-01T15:30:00Z',
      '2024-01-01 12:00:00 PM UTC-0330',
      '2024-01-01T12:00:00-03:30',
    ],
    ['no such zone', '2024-01-01T15:30:00Z', '2024-01-01 03:30:00 PM UTC+0000', '2024-01-01T15:30:00+00:00'],
  ])('formats the time in %s at %s', (timezone, instant, spoken, iso) => {
    const clock = clockface(timezone);

    expect(clock.spoken(new Date(instant))).toBe(spoken);
    expect(clock.iso(new Date(instant))).toBe(iso);
    expect(Date.parse(clock.iso(new Date(instant)))).toBe(Date.parse(instant));
  });
});
