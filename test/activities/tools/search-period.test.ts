import { describe, expect, it } from '@jest/globals';
import { readPeriod } from '../../../activities/tools/search-period.js';

describe('[recall.filters] readPeriod', () => {
  it.each([
    ['2024-01-15', '', { from: new Date('2024-01-15') }],
    ['', '2024-01-15', { to: new Date('2024-01-15T23:59:59.999Z') }],
    ['0001-01-01', '9999-12-31', { from: new Date('0001-01-01'), to: new Date('9999-12-31T23:59:59.999Z') }],
  ])('reads %j to %j', (start, end, stretch) => {
    expect(readPeriod(start, end)).toEqual(stretch);
  });

  it.each(['yesterday', '0000-01-01', '-004800-01-01', '+010000-01-01', '+275760-09-13'])(
    'returns a text that the database cannot store as a time: %s',
    (text) => {
      expect(readPeriod(text, '')).toEqual({ unreadable: text });
      expect(readPeriod('', text)).toEqual({ unreadable: text });
    },
  );
});
