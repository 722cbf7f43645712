import { describe, expect, it } from '@jest/globals';
import { toFamilies } from '../../cli/letta-database/families.js';

const agents = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id.toUpperCase() }));
const idsOf = (ties: Parameters<typeof toFamilies>[1]): string[][] =>
  toFamilies(agents, ties).map((family) => family.map(({ id }) => id));

describe('agents of a Letta database', () => {
  it('[cli.import-database] are grouped when they share something, directly or through others', () => {
    expect(
      idsOf([
        { agent: 'a', thing: 'block-1' },
        { agent: 'c', thing: 'block-1' },
        { agent: 'c', thing: 'archive-1' },
        { agent: 'd', thing: 'archive-1' },
        { agent: 'b', thing: 'block-2' },
      ]),
    ).toEqual([['a', 'c', 'd'], ['b']]);
  });

  it('[cli.import-database] are separate when only a deleted agent links them', () => {
    expect(idsOf([{ agent: 'gone', thing: 'block-1' }])).toEqual([['a'], ['b'], ['c'], ['d']]);
  });
});
