import { describe, expect, it } from '@jest/globals';
import {
  type ActivityEnd,
  type ActivityTarget,
  callTimeMs,
  taskQueueFault,
  toActivityOutcome,
} from '../../../core/tools/activity-tools.js';

const target: ActivityTarget = {
  taskQueue: 'travel',
  name: 'book_flight',
  scheduleToStartMs: 1500,
  startToCloseMs: 60_000,
  keepAliveMs: null,
  attempts: 1,
};

describe('[tools.activity-run] the result of an activity for the model', () => {
  it.each<[string, ActivityEnd, boolean, string]>([
    ['a returned text', { kind: 'returned', value: 'Booked.' }, true, 'Booked.'],
    ['any other returned value as JSON', { kind: 'returned', value: { seat: 12 } }, true, '{"seat":12}'],
    ['no returned value as null', { kind: 'returned', value: undefined }, true, 'null'],
    [
      'an error',
      { kind: 'failed', type: 'ValueError', message: 'no seat left' },
      false,
      'Error executing function book: ValueError: no seat left',
    ],
    [
      'a missing worker',
      { kind: 'no_worker' },
      false,
      "Error executing function book: no worker took it from the task queue 'travel' within 1.5 s, so it was not run. The worker of that queue must be started.",
    ],
    [
      'a timeout',
      { kind: 'timed_out' },
      false,
      'Error executing function book: TimeoutError: it did not end within 60 s, or its worker fell silent. Whether it took effect is unknown.',
    ],
    [
      'a stop from outside',
      { kind: 'stopped' },
      false,
      'Error executing function book: it was stopped from outside. Whether it took effect is unknown.',
    ],
  ])('reports %s', (_what, end, ok, message) => {
    expect(toActivityOutcome('book', target, end)).toEqual({ ok, message });
  });
});

describe('[tools.activity-form] an activity', () => {
  it('may take the time of all attempts and the pauses between them', () => {
    expect(callTimeMs(target)).toBe(61_500);
    expect(callTimeMs({ ...target, attempts: 3 })).toBe(3 * 61_500 + 2 * 10_000);
  });

  it.each([
    ['travel', undefined],
    ['team/travel:v2', undefined],
    ['', /1 to 200 characters/],
    ['two words', /no spaces/],
    ['a'.repeat(201), /1 to 200/],
    ['/_sys/travel/1', /Temporal's own/],
    ['__temporal_x', /Temporal's own/],
  ])('accepts or refuses the task queue %j', (taskQueue, fault) => {
    if (fault === undefined) expect(taskQueueFault(taskQueue)).toBeUndefined();
    else expect(taskQueueFault(taskQueue)).toMatch(fault);
  });
});
