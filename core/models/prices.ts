import type { Usage } from './usage.js';

/** What a model costs, in US dollars per million tokens. */
export interface Price {
  /** Read, and not found in the provider's cache. */
  readonly input: number;
  /** Read from the provider's cache. */
  readonly cachedInput: number;
  readonly output: number;
}

/** Prices by the models' handles. */
export type Prices = Readonly<Record<string, Price>>;

const million = 1_000_000;

/**
 * What calls of a model cost, in US dollars. Undefined where it is not known: the model has no price, or its provider
 * did not count.
 */
export function costOf(
  prices: Prices,
  model: string,
  { promptTokens, cachedTokens, completionTokens, totalTokens }: Usage,
): number | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined || totalTokens === 0) return undefined;
  const fresh = Math.max(0, promptTokens - cachedTokens);
  return (fresh * price.input + cachedTokens * price.cachedInput + completionTokens * price.output) / million;
}

/** The sum of costs; undefined where one of them is not known, or there is none. */
export function sumOfCosts(costs: readonly (number | undefined)[]): number | undefined {
  return costs.length === 0
    ? undefined
    : costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost));
}
