import { describe, expect, it } from '@jest/globals';
import { grep } from '../../adapters/grep/grep.js';

async function* texts(...all: readonly (readonly string[])[]) {
  for (const [index, lines] of all.entries()) yield await Promise.resolve({ name: `text ${index}`, lines });
}

const limits = { timeoutMs: 5_000, limit: 100 };

describe('[files.grep] a regular expression search', () => {
  it('finds matching lines in all texts, ignoring case', async () => {
    const outcome = await grep('day\\w*$', texts(['A Day', 'night'], ['x', 'all days']), limits);

    expect(outcome).toMatchObject({
      kind: 'found',
      complete: true,
      matches: [
        { text: { name: 'text 0' }, line: 0 },
        { text: { name: 'text 1' }, line: 1 },
      ],
    });
  });

  it('stops at its limit and reports that there are more', async () => {
    const outcome = await grep('x', texts(['x', 'x'], ['x'], ['x']), { ...limits, limit: 2 });

    expect(outcome).toMatchObject({ kind: 'found', complete: false });
    expect(outcome.kind === 'found' ? outcome.matches : []).toHaveLength(2);
  });

  it('stops a runaway expression without blocking this process', async () => {
    const progress = { turns: 0 };
    const timer = setInterval(() => (progress.turns += 1), 10);

    const outcome = await grep('^(a+)+$', texts([`${'a'.repeat(60)}!`]), { ...limits, timeoutMs: 500 });

    clearInterval(timer);
    expect(outcome).toEqual({ kind: 'too_slow' });
    expect(progress.turns).toBeGreaterThan(1);
  });

  it('rejects an invalid expression with the reason', async () => {
    expect(await grep('(', texts(['(']), limits)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/[Uu]nterminated group/),
    });
  });
});
