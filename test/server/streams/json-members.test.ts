import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type MemberPiece, memberStart, readMembers } from '../../../server/streams/json-members.js';

function readAll(fragments: readonly string[]): MemberPiece[] {
  let state = memberStart;
  return fragments.flatMap((fragment) => {
    const read = readMembers(state, fragment);
    state = read.state;
    return read.pieces;
  });
}

function textOf(pieces: readonly MemberPiece[], key: string, part: 'raw' | 'text'): string {
  return pieces.map((piece) => (piece.kind === 'value' && piece.key === key ? piece[part] : '')).join('');
}

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, i) => text.slice(start, sorted[i]));
}

describe('the incremental reader of JSON members', () => {
  it('yields a string’s text as it arrives', () => {
    const pieces = readAll(['{"message": "He', 'llo\\', 'n', 'you"', ', "request_heartbeat": tr', 'ue}']);

    expect(pieces).toEqual([
      { kind: 'member', key: 'message' },
      { kind: 'value', key: 'message', raw: '"He', text: 'He' },
      { kind: 'value', key: 'message', raw: 'llo', text: 'llo' },
      { kind: 'value', key: 'message', raw: '\\n', text: '\n' },
      { kind: 'value', key: 'message', raw: 'you"', text: 'you' },
      { kind: 'member', key: 'request_heartbeat' },
      { kind: 'value', key: 'request_heartbeat', raw: 'tr', text: '' },
      { kind: 'value', key: 'request_heartbeat', raw: 'ue', text: '' },
    ]);
  });

  it('waits for the second half of a surrogate pair', () => {
    const pieces = readAll(['{"a":"\\ud83d', '\\ude', '00!"}']);

    expect(textOf(pieces, 'a', 'text')).toBe('😀!');
  });

  it('closes a string after half a surrogate pair', () => {
    const pieces = readAll(['{"a":"\\ud83d","b":1}']);

    expect(textOf(pieces, 'b', 'raw')).toBe('1');
  });

  it.each([['hello {"a":1}'], ['[1,2]'], ['{a:1}'], ['{"a" 1}']])(
    'passes on %s, which is not an object',
    (text) => {
      const pieces = readAll([text]);

      expect(pieces.some((piece) => piece.kind === 'other')).toBe(true);
    },
  );

  it('finds every member of any object however the text is split', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(undefined, 2),
        (object, places, indent) => {
          const pieces = readAll(cutAt(JSON.stringify(object, undefined, indent), places));

          expect(pieces.filter((piece) => piece.kind === 'member').map((piece) => piece.key)).toEqual(
            Object.keys(object),
          );
          for (const [key, value] of Object.entries(object)) {
            expect(JSON.parse(textOf(pieces, key, 'raw'))).toEqual(JSON.parse(JSON.stringify(value)));
            if (typeof value === 'string') expect(textOf(pieces, key, 'text')).toBe(value);
          }
        },
      ),
    );
  });
});
