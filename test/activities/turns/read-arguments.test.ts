import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readArguments } from '../../../activities/turns/read-arguments.js';

const finishReasons = ['stop', 'tool_calls', 'length', 'content_filter'] as const;

/** Strings as models write them: with quotes, brackets, escapes and everything else that can confuse a parser. */
const words = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '"',
    "'",
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '\n',
    '`',
    '“',
    '’',
    'é',
    '🙂',
    '/',
    '*',
  ),
});
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    words,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(words, tie('tree'), { maxKeys: 3 }),
  ),
}));
const texts = fc
  .record({ value: fc.dictionary(words, tree, { minKeys: 1, maxKeys: 4 }), indent: fc.constantFrom(0, 2) })
  .map(({ value, indent }) => JSON.stringify(value, null, indent));

describe('[turn.cut-arguments] arguments of a call', () => {
  it('are refused wherever they were cut off, whatever the finish reason', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...finishReasons), (text, finishReason) => {
        for (let length = 1; length < text.length; length += 1) {
          const read = readArguments(text.slice(0, length), finishReason);
          expect(read.kind).not.toBe('read');
        }
        expect(readArguments(text, finishReason)).toEqual({
          kind: 'read',
          value: JSON.parse(text) as unknown,
        });
      }),
      { numRuns: 150 },
    );
  });

  it('are refused wherever they were cut off in a code fence', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const fenced = `\`\`\`json\n${text}`;
        for (let length = 1; length < fenced.length; length += 1)
          expect(readArguments(fenced.slice(0, length), 'tool_calls').kind).not.toBe('read');
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['{"label": "human", "new_memory": "Name: Ann. Aller', 50],
    ['{"message": "It is', 18],
    ["{'message': 'It is}", 19],
    ['{"message": “It is}', 19],
    ['{message: "It is', 16],
    ['{"a": [1, 2}', 12],
    ['{"a": {"b": 1}', 14],
    ['{"a": tru', 9],
    ['{"a": "\\u00', 11],
    ['{', 1],
  ])('are reported as cut: %s', (text, length) => {
    expect(readArguments(text, 'tool_calls')).toEqual({ kind: 'cut', length });
  });

  it.each([
    ['an extra comma', '{"a": 1, "b": [1, 2,],}'],
    ['single quotes', "{'a': 1, 'b': [1, 2]}"],
    ['typographic quotes', '{“a”: 1, “b”: [1, 2]}'],
    ['no quotes', '{a: 1, b: [1, 2]}'],
    ['a code fence', '```json\n{"a": 1, "b": [1, 2]}\n```'],
    ['an unclosed code fence', '```json\n{"a": 1, "b": [1, 2]}'],
    ['an extra bracket', '{"a": 1, "b": [1, 2]}}'],
    ['a missing comma', '{"a": 1 "b": [1, 2]}'],
  ])('are repaired when they have %s', (_what, text) => {
    expect(readArguments(text, 'tool_calls')).toEqual({ kind: 'read', value: { a: 1, b: [1, 2] } });
  });

  it.each([["{'a': 'it''s, {not} [this'}"], ['{"a": "5\\" tall", }'], ["{a: 'don’t', 'b': `}`}"]])(
    'are not cut when a quote is part of a value: %s',
    (text) => {
      expect(readArguments(text, 'tool_calls').kind).not.toBe('cut');
    },
  );

  it('are empty when nothing is written, but cut in an answer that reached its limit', () => {
    expect(readArguments('', 'tool_calls')).toEqual({ kind: 'read', value: {} });
    expect(readArguments(' ', 'length')).toEqual({ kind: 'cut', length: 0 });
  });
});
