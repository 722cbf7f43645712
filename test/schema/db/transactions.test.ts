import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { createBlock, requireBlock } from '../../../schema/blocks/blocks.js';
import { inTransaction, type Tx } from '../../../schema/db/database.js';
import { openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('[schema.undone] a transaction', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const aBlock = () => createBlock(database.db, { label: 'notes', value: '' });
  const append = (tx: Tx, blockId: string, content: string) =>
    changeBlock(tx, { blockId, operation: { kind: 'append', content }, actor: 'user' });

  it('that the database rolled back because of a deadlock is run again, and both are kept', async () => {
    const [one, two] = [await aBlock(), await aBlock()];
    let begun = 0;
    let holding = 0;
    let bothHold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const both = (first: string, second: string, content: string) =>
      inTransaction(database.db, async (tx) => {
        begun += 1;
        await append(tx, first, content);
        holding += 1;
        if (holding === 2) bothHold?.();
        await held;
        await append(tx, second, content);
      });

    await Promise.all([both(one.id, two.id, 'a'), both(two.id, one.id, 'b')]);

    expect(begun).toBeGreaterThan(2);
    for (const { id } of [one, two]) {
      const { value, revision } = await requireBlock(database.db, id);
      expect(Array.from(value.replaceAll('\n', '')).sort()).toEqual(['a', 'b']);
      expect(revision).toBe(one.revision + 2);
    }
  });

  it('that is rolled back every time fails with the database’s error', async () => {
    let begun = 0;
    const failing = inTransaction(database.db, () => {
      begun += 1;
      return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
    });

    expect(await rejection(failing)).toMatchObject({ code: '40P01' });
    expect(begun).toBe(3);
  });

  it('that fails for another reason is not run again', async () => {
    let begun = 0;
    const failing = inTransaction(database.db, () => {
      begun += 1;
      return Promise.reject(Object.assign(new Error('duplicate'), { code: '23505' }));
    });

    expect(await rejection(failing)).toMatchObject({ code: '23505' });
    expect(begun).toBe(1);
  });
});
