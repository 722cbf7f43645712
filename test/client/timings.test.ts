import { describe, expect, it } from '@jest/globals';
import { checkTiming, nextTimes } from '../../client/timings.js';
import { cronUnion, type Timing } from '../../core/schedules/schedules.js';

const now = new Date('2026-03-28T12:00:00Z');

function cron(expression: string, timezone = 'UTC'): Timing {
  return { kind: 'cron', cron: expression, timezone, jitterMs: 0, overlap: 'skip', catchupMs: 600_000 };
}

describe('the timing of a schedule', () => {
  it.each<[string, Timing, string, RegExp]>([
    [
      'a past time',
      { kind: 'once', at: '2026-03-28T11:59:59Z' },
      'at',
      /is in the past: it is 2026-03-28T12/,
    ],
    [
      'an unknown time zone',
      cron('0 9 * * *', 'Mars/Olympus'),
      'timezone',
      /Mars\/Olympus is not a time zone/,
    ],
    ['four fields', cron('0 9 * *'), 'cron', /has 4 fields\. Give five/],
    ['six fields', cron('0 0 9 * * *'), 'cron', /has 6 fields/],
    ['a field out of range', cron('61 9 * * *'), 'cron', /can't be read \(.*\)\. Give five/],
    ['a syntax that only some crons know', cron('0 9 L * *'), 'cron', /can't be read at 'L'/],
    ['words', cron('every day at nine o clock'), 'cron', /has 6 fields/],
    ['a date that never comes', cron('0 9 30 2 *'), 'cron', /never comes: there is no such date/],
  ])('rejects %s [schedule.refused]', (_what, timing, field, message) => {
    expect(() => {
      checkTiming(timing, now);
    }).toThrow(
      expect.objectContaining({ name: 'TimingError', field, message: expect.stringMatching(message) }),
    );
  });

  it.each([
    ['a time zone', cron('0 9 * * *', 'Asia/Tokyo'), ['2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z']],
    ['summer time', cron('0 9 * * *', 'Europe/Berlin'), ['2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z']],
    ['names of months and days', cron('0 9 * JUL MON-WED'), ['2026-07-01T09:00:00Z', '2026-07-06T09:00:00Z']],
    ['days of the month or the week', cron('0 0 1 * 1'), ['2026-03-30T00:00:00Z', '2026-04-01T00:00:00Z']],
    ['a single time', { kind: 'once' as const, at: '2026-03-29T00:00:00Z' }, ['2026-03-29T00:00:00Z']],
  ])('yields the next times for %s [schedule.preview]', (_what, timing, times) => {
    checkTiming(timing, now);

    expect(nextTimes(timing, now, 2)).toEqual(times.map((time) => new Date(time)));
  });

  it.each([
    ['0 9 * * 1-5', ['0 9 * * 1-5']],
    ['0 9 1 * *', ['0 9 1 * *']],
    ['0 9 1 * 1', ['0 9 1 * *', '0 9 * * 1']],
    ['0 9 */2 * 1', ['0 9 */2 * 1']],
  ])(
    'passes %s to the scheduler as %j, which joins days by "and" [schedule.preview]',
    (expression, union) => {
      expect(cronUnion(expression)).toEqual(union);
    },
  );
});
