import { describe, expect, it } from '@jest/globals';
import { limitOutput } from '../../../core/tools/output.js';

describe('[turn.output-limit] a tool’s output', () => {
  it.each([
    ['no characters', '', 0],
    ['as many characters as allowed', 'abcde', 5],
    ['as many characters as allowed, of two code units each', '🙂🙂', 2],
  ])('stays unchanged when it has %s', (_what, output, limit) => {
    expect(limitOutput(output, limit)).toBe(output);
  });

  it.each([
    ['abcdef', 5, 'abcde', '6 > 5'],
    ['🙂🙂🙂', 2, '🙂🙂', '3 > 2'],
    ['abc', 1, 'a', '3 > 1'],
    ['x'.repeat(50_001), 50_000, 'x'.repeat(50_000), '50001 > 50000'],
  ])('is truncated at its limit, with both figures', (output, limit, kept, figures) => {
    expect(limitOutput(output, limit)).toBe(
      `${kept}... [NOTE: function output was truncated since it exceeded the character limit (${figures})]`,
    );
  });
});
