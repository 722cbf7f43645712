import { describe, expect, it } from '@jest/globals';
import { countTokens, truncateToTokens } from '../../adapters/tokens.js';

describe('counting tokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['tiktoken is great!', 6],
  ])('counts %j as o200k_base does', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it('adds nothing for the slices that it cuts a text into', () => {
    const sentence = 'The quick brown fox jumps over the lazy dog and thinks about it.';
    const one = countTokens(sentence);

    expect(countTokens(Array.from({ length: 500 }, () => sentence).join(' '))).toBe(500 * one);
  });

  it('computes for seconds, not minutes, over 200 kB without a space', () => {
    countTokens('warm up');
    const begun = process.cpuUsage();

    expect(countTokens('a'.repeat(200_000))).toBeGreaterThan(10_000);

    // Of the processor, which a busy machine does not stretch.
    expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
  });

  it('reads a special token as the text that it is', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('does not cut a pair of surrogates', () => {
    expect(countTokens('😀'.repeat(3_000))).toBe(3_000 * countTokens('😀'));
  });

  it('shortens a text to a limit, and leaves one that fits', () => {
    const text = 'word '.repeat(20_000);
    const short = truncateToTokens(text, 7_500);

    expect(countTokens(short)).toBeLessThanOrEqual(7_500);
    expect(countTokens(short)).toBeGreaterThan(7_000);
    expect(truncateToTokens('a few words', 100)).toBe('a few words');
  });
});
