import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { derivedId, isWellFormedId } from '../../core/ids.js';

const turn = 'turn-7c9e6679-7425-40de-944b-e07fc1f90ae7';
const kinds = fc.constantFrom('message' as const, 'step' as const, 'effect' as const);
const turns = fc.uuid().map((uuid) => `turn-${uuid}`);
const steps = fc.tuple(kinds, turns, fc.nat(100), fc.nat(5));

describe('[turn.ids] derivedId', () => {
  it('returns the same id for the same place and a different id for another', () => {
    fc.assert(
      fc.property(steps, steps, ([kindA, turnA, ...placeA], [kindB, turnB, ...placeB]) => {
        const isSame = JSON.stringify([kindA, turnA, placeA]) === JSON.stringify([kindB, turnB, placeB]);
        expect(derivedId(kindA, turnA, ...placeA) === derivedId(kindB, turnB, ...placeB)).toBe(isSame);
      }),
    );
  });

  it('returns distinct ids for all places of many turns', () => {
    const ids = new Set<string>();
    for (let t = 0; t < 100; t += 1) {
      for (let step = 0; step < 100; step += 1) {
        // Only the last digits differ, as in ids made in sequence.
        const uuid = `7c9e6679-7425-40de-944b-${t.toString(16).padStart(12, '0')}`;
        for (let index = 0; index < 5; index += 1)
          ids.add(derivedId('message', `turn-${uuid}`, step, index).slice(8));
      }
    }
    expect(ids.size).toBe(50_000);
  });

  it('distinguishes places that join to the same text', () => {
    expect(derivedId('message', turn, 1, 11)).not.toBe(derivedId('message', turn, 11, 1));
    expect(derivedId('message', turn, '1', '1')).not.toBe(derivedId('message', turn, '11'));
  });

  it('looks like a random UUID', () => {
    fc.assert(
      fc.property(steps, ([kind, turnId, ...place]) => {
        const id = derivedId(kind, turnId, ...place);
        expect(isWellFormedId(kind, id)).toBe(true);
        expect(id.slice(kind.length + 1)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('never changes its ids, because stored rows have them', () => {
    expect(derivedId('message', turn, 0, 1)).toMatchInlineSnapshot(
      `"message-b4476f85-b6a2-4d12-b2c0-d6a382a53432"`,
    );
  });
});

describe('isWellFormedId', () => {
  it.each([
    ['agent-7c9e6679-7425-40de-944b-e07fc1f90ae7', true],
    ['agent-7C9E6679-7425-40de-944b-e07fc1f90ae7', false],
    ['block-7c9e6679-7425-40de-944b-e07fc1f90ae7', false],
    ['agent-7c9e6679', false],
    ['', false],
  ])('of %s is %s', (id, expected) => {
    expect(isWellFormedId('agent', id)).toBe(expected);
  });
});
