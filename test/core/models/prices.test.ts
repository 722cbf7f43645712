import { describe, expect, it } from '@jest/globals';
import { costOf, sumOfCosts } from '../../../core/models/prices.js';
import { noUsage } from '../../../core/models/usage.js';

const prices = { 'openai/small': { input: 1, cachedInput: 0.25, output: 4 } };
const usage = {
  ...noUsage,
  promptTokens: 1_000,
  cachedTokens: 800,
  completionTokens: 50,
  totalTokens: 1_050,
};

describe('the cost of a call', () => {
  it('[cli.cost] adds up uncached input, cached input and output', () => {
    expect(costOf(prices, 'openai/small', usage)).toBeCloseTo((200 * 1 + 800 * 0.25 + 50 * 4) / 1e6, 12);
  });

  it.each([
    ['a model without a price', 'openai/large', usage],
    ['a model named like a property of every object', 'toString', usage],
    ['a provider that reported no usage', 'openai/small', noUsage],
  ])('[cli.cost] is unknown for %s', (_, model, used) => {
    expect(costOf(prices, model, used)).toBeUndefined();
  });

  it('[cli.cost] has no total when a part is unknown', () => {
    expect([sumOfCosts([1, 2]), sumOfCosts([1, undefined, 2]), sumOfCosts([])]).toEqual([
      ...[3, undefined, undefined],
    ]);
  });
});
