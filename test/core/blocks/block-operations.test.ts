import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  applyOperation,
  codePoints,
  defaultBlockLimit,
  defaultDescription,
  limitFor,
  type OperationOutcome,
} from '../../../core/blocks/operations.js';
import type { Block, BlockOperation } from '../../../core/blocks/blocks.js';

type Target = Pick<Block, 'label' | 'value' | 'limit' | 'readOnly' | 'revision'>;

function aBlock(value: string, more: Partial<Target> = {}): Target {
  return { label: 'human', value, limit: 100, readOnly: false, revision: 7, ...more };
}

function refusal(outcome: OperationOutcome): { code: string; message: string } {
  if (outcome.ok) throw new Error(`not refused: ${outcome.value}`);
  return { code: outcome.code, message: outcome.message };
}

const replace = (old: string, replacement: string, all = false): BlockOperation => ({
  kind: 'replace',
  old,
  new: replacement,
  all,
});
const insert = (content: string, line: number): BlockOperation => ({ kind: 'insert', content, line });

describe('[memory.operations] applyOperation', () => {
  it.each<[string, string, BlockOperation, string]>([
    [
      'appends on a new line',
      'Name: Shilpa',
      { kind: 'append', content: 'Likes tea' },
      'Name: Shilpa\nLikes tea',
    ],
    [
      'appends to an empty block without a newline',
      '',
      { kind: 'append', content: 'Likes tea' },
      'Likes tea',
    ],
    ['replaces every occurrence', 'Sid, Sid', replace('Sid', 'Shilpa', true), 'Shilpa, Shilpa'],
    ['replaces the only occurrence', 'Name: Shilpa', replace('Shilpa', 'Sid'), 'Name: Sid'],
    ['deletes with an empty replacement', 'Name: Shilpa.', replace('Shilpa', '', true), 'Name: .'],
    ['takes replacement patterns literally', 'costs x', replace('x', "$& $1 $'"), "costs $& $1 $'"],
    ['takes replacement patterns literally when replacing all', 'x x', replace('x', '$&', true), '$& $&'],
    ['matches spaces when the old text has a tab', 'a       b', replace('a\tb', 'c'), 'c'],
    ['matches a tab when the old text has spaces', 'a\tb', replace('a       b', 'c'), 'c'],
    ['fills an empty block by replacing the empty text', '', replace('', 'Sid', true), 'Sid'],
    ['inserts at the top', 'one\ntwo', insert('zero', 0), 'zero\none\ntwo'],
    ['inserts after a line', 'one\nthree', insert('two', 1), 'one\ntwo\nthree'],
    ['inserts at the end', 'one\ntwo', insert('three', -1), 'one\ntwo\nthree'],
    ['inserts after the last line', 'one\ntwo', insert('three', 2), 'one\ntwo\nthree'],
    ['inserts into an empty block', '', insert('one', -1), 'one'],
    ['rewrites from the current revision', 'old', { kind: 'rewrite', value: 'new', base: 7 }, 'new'],
    ['sets a value regardless of the old one', 'old', { kind: 'set', value: 'new' }, 'new'],
    ['keeps arrows that are part of the value', '1→ a', replace('1→ a', '2→ b'), '2→ b'],
  ])('%s', (_, value, operation, expected) => {
    expect(applyOperation(aBlock(value), operation)).toEqual({ ok: true, value: expected });
  });

  it.each<[string, Target, BlockOperation, string, RegExp]>([
    [
      'a read-only block',
      aBlock('x', { readOnly: true }),
      { kind: 'set', value: 'y' },
      'read_only',
      /^This block is read-only and cannot be edited\./,
    ],
    [
      'a text that does not occur',
      aBlock('Name: Shilpa'),
      replace('Sid', 'x', true),
      'not_found',
      /^Old content 'Sid' not found in memory block 'human'\..*\nName: Shilpa\n/s,
    ],
    [
      'a unique text that does not occur',
      aBlock('Name: Shilpa'),
      replace('Sid', 'x'),
      'not_found',
      /^No replacement was performed, old_string `Sid` did not appear verbatim in memory block with label `human`\..*\nName: Shilpa\n/s,
    ],
    [
      'an empty text to replace',
      aBlock('Name: Shilpa'),
      replace('', 'x', true),
      'not_found',
      /^Old content '' not found/,
    ],
    [
      'a text that occurs twice',
      aBlock('tea\nmilk\ntea'),
      replace('tea', 'coffee'),
      'ambiguous',
      /Multiple occurrences of old_string `tea` in lines \[1, 3\]\. Please ensure it is unique/,
    ],
    ['a text that overlaps itself', aBlock('aaa'), replace('aa', 'b'), 'ambiguous', /in lines \[1\]/],
    [
      'a line after the end',
      aBlock('one\ntwo'),
      insert('x', 3),
      'bad_line',
      /^Invalid `insert_line` parameter: 3\..*\[0, 2\]/,
    ],
    ['a line before the top', aBlock('one'), insert('x', -2), 'bad_line', /parameter: -2\./],
    ['a fractional line number', aBlock('one'), insert('x', 0.5), 'bad_line', /parameter: 0\.5\./],
    [
      'line numbers in the old text',
      aBlock('one'),
      replace('1→ one', 'x'),
      'bad_line',
      /^old_string contains a line number prefix/,
    ],
    [
      'line numbers in the new text',
      aBlock('one'),
      replace('one', '1→ two'),
      'bad_line',
      /^new_string contains a line number prefix/,
    ],
    [
      'line numbers in an inserted text',
      aBlock('one'),
      insert('2→ two', -1),
      'bad_line',
      /^new_string contains a line number prefix/,
    ],
    [
      'a rewrite of an older revision',
      aBlock('theirs'),
      { kind: 'rewrite', value: 'mine', base: 6 },
      'conflict',
      /you read revision 6, it is at 7.*\ntheirs\n/s,
    ],
    [
      'a value over the limit',
      aBlock('12345678', { limit: 10 }),
      { kind: 'append', content: 'ab' },
      'too_long',
      /^Edit failed: Exceeds 10 character limit \(requested 11\)\. Nothing was written to `human`, which has 8 characters now\./,
    ],
  ])('refuses %s', (_, block, operation, code, message) => {
    const refused = refusal(applyOperation(block, operation));

    expect(refused.code).toBe(code);
    expect(refused.message).toMatch(message);
  });

  it('[memory.code-points] counts an emoji as one character', () => {
    expect(applyOperation(aBlock('', { limit: 2 }), { kind: 'set', value: '🙂🙂' })).toEqual({
      ok: true,
      value: '🙂🙂',
    });
    expect(refusal(applyOperation(aBlock('', { limit: 1 }), { kind: 'set', value: '🙂🙂' })).code).toBe(
      'too_long',
    );
  });

  it('lets a value that is over its limit become shorter', () => {
    const block = aBlock('x'.repeat(20), { limit: 10 });

    expect(applyOperation(block, { kind: 'set', value: 'x'.repeat(15) })).toEqual({
      ok: true,
      value: 'x'.repeat(15),
    });
    expect(refusal(applyOperation(block, { kind: 'append', content: 'x' })).code).toBe('too_long');
  });

  const operations: fc.Arbitrary<BlockOperation> = fc.oneof(
    fc.record({ kind: fc.constant('append' as const), content: fc.string() }),
    fc.record({
      kind: fc.constant('insert' as const),
      content: fc.string(),
      line: fc.integer({ min: -2, max: 5 }),
    }),
    fc.record({
      kind: fc.constant('replace' as const),
      old: fc.string({ maxLength: 2 }),
      new: fc.string(),
      all: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('rewrite' as const),
      value: fc.string(),
      base: fc.integer({ min: 6, max: 8 }),
    }),
    fc.record({ kind: fc.constant('patch' as const), patch: fc.string().map((line) => `+${line}`) }),
    fc.record({ kind: fc.constant('set' as const), value: fc.string({ unit: 'grapheme' }) }),
  );

  it('never makes a value longer than its limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), operations, (value, limit, operation) => {
        const outcome = applyOperation(aBlock(value, { limit }), operation);
        return !outcome.ok || codePoints(outcome.value) <= Math.max(limit, codePoints(value));
      }),
    );
  });

  it('keeps every line of the value on append and insert', () => {
    const adding = operations.filter(
      (operation) => operation.kind === 'append' || operation.kind === 'insert',
    );
    fc.assert(
      fc.property(fc.array(fc.string()), adding, (lines, operation) => {
        const outcome = applyOperation(aBlock(lines.join('\n'), { limit: 10_000 }), operation);
        if (!outcome.ok) return true;
        const after = outcome.value.split('\n');
        // The old lines are still there, in their order.
        return (
          lines.join('\n') === '' ||
          lines
            .join('\n')
            .split('\n')
            .every((line) => {
              const at = after.indexOf(line);
              return at !== -1 && after.splice(0, at + 1).length > 0;
            })
        );
      }),
    );
  });
});

describe('[memory.default-limit] limits of new blocks', () => {
  it.each([
    ['human', undefined, 2_000],
    ['persona', '0.1', 2_000],
    ['tasks', '0.1', 20_000],
    ['human', '1', 100_000],
  ] as const)('gives %s of generation %s %d characters', (label, generation, limit) => {
    expect(defaultBlockLimit(label, generation)).toBe(limit);
  });

  it('raises a default limit to fit the value, but never an explicit one', () => {
    const long = '🙂'.repeat(2_500);

    expect(limitFor(long, undefined, defaultBlockLimit('human'))).toBe(2_500);
    expect(limitFor('short', undefined, defaultBlockLimit('human'))).toBe(2_000);
    expect(limitFor(long, 100)).toBe(100);
  });

  it('gives a default description only to the blocks of chat memory', () => {
    expect(defaultDescription('persona')).toMatch(/^Who you are/);
    expect(defaultDescription('human')).toMatch(/^The person you talk with/);
    expect(defaultDescription('tasks')).toBeNull();
  });
});

describe('an operation whose author read an older revision', () => {
  const seen = { revision: 5, value: 'one\ntwo\nthree' };
  const now = 'zero\none\nTWO\nthree';

  it('[block.replace-gone] reports a missing text as a conflict that shows what changed', () => {
    const refused = refusal(applyOperation({ ...aBlock(now), seen }, replace('two', '2')));

    expect(refused.code).toBe('conflict');
    expect(refused.message).toMatchInlineSnapshot(`
     "No replacement was performed, old_string \`two\` did not appear verbatim in memory block with label \`human\`. Somebody else changed the block after you read it. Changes from revision 5 to 7 ("-" lines were removed, "+" lines added):
     @@ -1,3 +1,4 @@
     +zero
      one
     -two
     +TWO
      three
     (End of changes.) Nothing was written. Its current value is:
     zero
     one
     TWO
     three
     (End of the current value.) Merge your change into this value and call again."
    `);
    expect(refusal(applyOperation({ ...aBlock(now), seen }, replace('four', '4'))).code).toBe('not_found');
    expect(refusal(applyOperation({ ...aBlock(now), seen }, replace('two', '2', true))).code).toBe(
      'conflict',
    );
  });

  it('[block.conflict-difference] shows the changes and the current value when a rewrite comes too late', () => {
    const rewrite = { kind: 'rewrite', value: 'mine', base: 5 } as const;

    const refused = refusal(applyOperation({ ...aBlock(now), seen }, rewrite));

    expect(refused.code).toBe('conflict');
    expect(refused.message).toContain('you read revision 5, it is at 7');
    expect(refused.message).toContain('-two\n+TWO');
    expect(refused.message).toContain(`Its current value is:\n${now}\n`);
  });

  it.each([
    ['the top', 0, 'new\nzero\none\nTWO\nthree'],
    ['a line that moved', 1, 'zero\none\nnew\nTWO\nthree'],
    ['a line that is gone: after the one before it', 2, 'zero\none\nnew\nTWO\nthree'],
    ['the last line', 3, 'zero\none\nTWO\nthree\nnew'],
    ['the end', -1, 'zero\none\nTWO\nthree\nnew'],
  ])('[memory.operations] places an insert by the lines that its author read: %s', (_place, line, value) => {
    expect(applyOperation({ ...aBlock(now), seen }, insert('new', line))).toEqual({ ok: true, value });
  });

  it('[memory.operations] limits an insert to the lines that its author read', () => {
    const refused = refusal(applyOperation({ ...aBlock(now), seen }, insert('new', 4)));

    expect(refused).toMatchObject({ code: 'bad_line', message: expect.stringContaining('[0, 3]') });
  });
});
