import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Prices } from '../../core/models/prices.js';

const dollars = z.number().min(0);

const priceList = z
  .record(z.string(), z.strictObject({ input: dollars, cached_input: dollars, output: dollars }))
  .refine((list) => Object.keys(list).every((model) => /^[^/\s]+\/\S+$/.test(model)), {
    error: 'a model must be a handle',
  });

/** A price list: a JSON file, or the JSON itself. */
export const prices = z.string().transform((given, context): Prices => {
  const { data, error } = priceList.safeParse(read(given));
  if (data === undefined) {
    const [issue] = error.issues;
    const where = [...(issue?.path ?? []).map(String), issue?.message ?? ''].join(': ');
    context.addIssue({
      code: 'custom',
      message: `must be a JSON file, or JSON, such as ${example} (${where})`,
    });
    return z.NEVER;
  }
  return Object.fromEntries(
    Object.entries(data).map(([model, { cached_input: cachedInput, ...price }]) => [
      model,
      { ...price, cachedInput },
    ]),
  );
});

const example = '{"openai/gpt-4o-mini": {"input": 0.15, "cached_input": 0.075, "output": 0.6}}';

function read(given: string): unknown {
  try {
    return JSON.parse(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'));
  } catch {
    return undefined;
  }
}
