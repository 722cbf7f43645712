import { describe, expect, it } from '@jest/globals';
import { toDollars } from '../../../core/models/dollars.js';

describe('US dollars', () => {
  it.each([
    [null, ''],
    [0, '$0.0000'],
    [0.000_04, '<$0.0001'],
    [0.0123, '$0.0123'],
    [12.345, '$12.35'],
  ])('are rounded to cents, and small amounts to hundredths of a cent: %s', (cost, told) => {
    expect(toDollars(cost)).toBe(told);
  });
});
