import { describe, expect, it } from '@jest/globals';
import { countTokens, truncateToTokens } from '../../adapters/tokens.js';

describe('token counts', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['tiktoken is great!', 6],
  ])('match o200k_base for %j', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it('do not grow with the slices that a text is cut into', () => {
    const sentence = 'The quick brown fox jumps over the lazy dog and thinks about it.';
    const one = countTokens(sentence);

    expect(countTokens(Array.from({ length: 500 }, () => sentence).join(' '))).toBe(500 * one);
  });

  it('take seconds, not minutes, for 200 kB without a space', () => {
    countTokens('warm up');
    const begun = process.cpuUsage();

    expect(countTokens('a'.repeat(200_000))).toBeGreaterThan(10_000);

    // Time of the processor, which does not grow on a busy machine.
    expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
  });

  it('treat a special token as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('never split a surrogate pair', () => {
    expect(countTokens('😀'.repeat(3_000))).toBe(3_000 * countTokens('😀'));
  });

  it('shorten a text to a limit and leave one that fits', () => {
    const text = 'word '.repeat(20_000);
    const short = truncateToTokens(text, 7_500);

    expect(countTokens(short)).toBeLessThanOrEqual(7_500);
    expect(countTokens(short)).toBeGreaterThan(7_000);
    expect(truncateToTokens('a few words', 100)).toBe('a few words');
  });
});
