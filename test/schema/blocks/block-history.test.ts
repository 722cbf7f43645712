import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockOperation } from '../../../core/blocks/blocks.js';
import { blameRevision } from '../../../schema/blocks/blame.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { restoreBlock, stepBlock } from '../../../schema/blocks/restoring.js';
import { listRevisions, requireRevision, revisionAsOf } from '../../../schema/blocks/revisions.js';
import { createBlock, deleteBlock, requireBlock } from '../../../schema/blocks/blocks.js';
import { NothingToUndoError, RevisionNotFoundError } from '../../../schema/blocks/errors.js';
import { openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('the history of a block', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(4);
  });
  afterAll(() => database.close());

  const aBlock = (value = '') => createBlock(database.db, { label: 'notes', value });
  const by = (blockId: string) => ({ blockId, actor: 'user' as const });
  const change = (blockId: string, operation: BlockOperation) =>
    changeBlock(database.db, { ...by(blockId), operation });
  const set = (blockId: string, value: string) => change(blockId, { kind: 'set', value });
  const valueOf = async (blockId: string) => (await requireBlock(database.db, blockId)).value;

  it('[block.as-of] returns the value at every moment and revision of a thousand random edits', async () => {
    const { id, createdAt } = await aBlock('first');
    const recorded = [{ value: 'first', moment: createdAt.toISOString() }];
    const edits = fc.sample(randomEdit, { numRuns: 1_000, seed: 5 });
    for (const edit of edits) {
      const outcome = await change(id, edit);
      if (outcome.ok) recorded.push({ value: outcome.block.value, moment: '' });
    }
    const revisions = await listRevisions(database.db, id, { order: 'asc', limit: 2_000 });

    expect(recorded.length).toBeGreaterThan(900);
    expect(revisions.map(({ value }) => value)).toEqual(recorded.map(({ value }) => value));
    const moments = revisions.map(({ moment }) => moment);
    expect(new Set(moments).size).toBe(moments.length);
    expect(moments).toEqual([...moments].sort());
    for (const { revision, moment, createdAt: millisecond, value } of revisions) {
      expect(await revisionAsOf(database.db, id, moment)).toMatchObject({ revision, value });
      const last = revisions.findLast((other) => other.createdAt.getTime() === millisecond.getTime());
      expect(await revisionAsOf(database.db, id, millisecond)).toMatchObject({ value: last?.value });
    }
    expect(await revisionAsOf(database.db, id, new Date())).toMatchObject({ revision: revisions.length });
    const before = await rejection(revisionAsOf(database.db, id, new Date(createdAt.getTime() - 1)));
    expect(before).toBeInstanceOf(RevisionNotFoundError);
    expect(before).toMatchObject({ blockId: id });
  });

  it('[block.undo] chains undo and redo like an editor with two stacks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomStep, { maxLength: 25 }), async (steps) => {
        const { id } = await aBlock('start');
        const editor = new Editor('start');

        for (const [index, step] of steps.entries()) {
          if (step === 'edit') {
            editor.edit(`edit ${index}`);
            await set(id, `edit ${index}`);
          } else if (step === 'restore') {
            const { revision } = await requireBlock(database.db, id);
            const to = 1 + (index % revision);
            editor.edit((await requireRevision(database.db, id, to)).value);
            await restoreBlock(database.db, to, by(id));
          } else if (editor.step(step)) {
            expect(await stepBlock(database.db, step, by(id))).toMatchObject({ ok: true });
          } else {
            const refused = await rejection(stepBlock(database.db, step, by(id)));
            expect(refused).toBeInstanceOf(NothingToUndoError);
            expect(refused).toMatchObject({ blockId: id, wish: step });
          }
          expect(await valueOf(id)).toBe(editor.value);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('[block.undo] restores the value when redo follows undo, and keeps every step as a revision', async () => {
    const { id } = await aBlock('0');
    for (const value of ['1', '2', '3']) await set(id, value);

    const thrice = async (wish: 'undo' | 'redo') => {
      for (let times = 0; times < 3; times += 1) await stepBlock(database.db, wish, by(id));
    };
    await thrice('undo');
    expect(await valueOf(id)).toBe('0');
    await thrice('redo');

    expect(await valueOf(id)).toBe('3');
    const revisions = await listRevisions(database.db, id, { order: 'asc' });
    expect(revisions.map(({ operation }) => operation.kind)).toEqual([
      ...['create', 'set', 'set', 'set', 'undo', 'undo', 'undo', 'redo', 'redo', 'redo'],
    ]);
    expect(revisions.slice(4).map(({ operation }) => 'to' in operation && operation.to)).toEqual([
      ...[3, 2, 1, 2, 3, 4],
    ]);
  });

  it('[block.undo] undoes once per effect, and respects the base revision and the limit', async () => {
    const { id } = await aBlock('long enough');
    await set(id, 'b');
    await set(id, 'c');
    const once = { ...by(id), effectId: `undo of ${id}` };

    await stepBlock(database.db, 'undo', once);
    await stepBlock(database.db, 'undo', once);
    expect(await valueOf(id)).toBe('b');

    const stale = await stepBlock(database.db, 'undo', { ...by(id), ifRevision: 3 });
    expect(stale).toMatchObject({ ok: false, code: 'conflict', seen: { revision: 3, value: 'c' } });
    await database.db.updateTable('blocks').set({ value_limit: 5 }).where('id', '=', id).execute();
    expect(await stepBlock(database.db, 'undo', by(id))).toMatchObject({ ok: false, code: 'too_long' });
    expect(await valueOf(id)).toBe('b');
  });

  it('[block.restore] restores any revision as a change that can be undone', async () => {
    const { id } = await aBlock('one');
    await set(id, 'two');
    await set(id, 'three');

    expect(await restoreBlock(database.db, 1, by(id))).toMatchObject({
      ok: true,
      block: { value: 'one', revision: 4 },
    });
    await stepBlock(database.db, 'undo', by(id));
    expect(await valueOf(id)).toBe('three');
    const missing = await rejection(restoreBlock(database.db, 77, by(id)));
    expect(missing).toBeInstanceOf(RevisionNotFoundError);
    expect(missing).toMatchObject({ blockId: id, missing: 77 });
  });

  it('[block.blame] names the revision and author of each line, over hundreds of revisions', async () => {
    const { id } = await aBlock('the first line');
    for (let index = 0; index < 250; index += 1) {
      await changeBlock(database.db, {
        blockId: id,
        operation: { kind: 'append', content: `line ${index}` },
        actor: 'agent',
        agentId: `agent-${index % 3}`,
      });
    }
    await set(id, `${await valueOf(id)}\nby hand`);
    const { revision } = await requireBlock(database.db, id);

    const lines = await blameRevision(database.db, await requireRevision(database.db, id, revision));

    expect(lines).toHaveLength(252);
    expect(lines.map(({ revision: origin }) => origin.revision)).toEqual(
      Array.from({ length: 252 }, (_, index) => index + 1),
    );
    expect(lines[0]).toMatchObject({ text: 'the first line', revision: { operation: { kind: 'create' } } });
    expect(lines[5]).toMatchObject({ text: 'line 4', revision: { actor: 'agent', agentId: 'agent-1' } });
    expect(lines[251]).toMatchObject({ text: 'by hand', revision: { actor: 'user' } });
  });

  it('[block.isolated] [block.deleted-history] is not affected by edits and the deletion of another block', async () => {
    const [kept, edited] = [await aBlock('kept'), await aBlock('edited')];
    await set(kept.id, 'kept, changed');
    const before = await listRevisions(database.db, kept.id);

    await set(edited.id, 'changed');
    await stepBlock(database.db, 'undo', by(edited.id));
    await deleteBlock(database.db, edited.id);

    expect(await listRevisions(database.db, edited.id)).toEqual([]);
    expect(await listRevisions(database.db, kept.id)).toEqual(before);
    expect(await requireBlock(database.db, kept.id)).toMatchObject({ value: 'kept, changed', revision: 2 });
  });
});

const word = fc.constantFrom('red', 'blue', 'green', 'the sea', '');
const randomEdit: fc.Arbitrary<BlockOperation> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), content: word }),
  fc.record({ kind: fc.constant('set' as const), value: word }),
  fc.record({ kind: fc.constant('insert' as const), content: word, line: fc.constantFrom(0, -1) }),
  fc.record({
    kind: fc.constant('replace' as const),
    old: fc.constant('e'),
    new: word,
    all: fc.constant(true),
  }),
);
const randomStep = fc.constantFrom('edit', 'undo', 'redo', 'undo', 'redo', 'restore');

/** Undo and redo as in any editor. */
class Editor {
  private readonly past: string[] = [];
  private future: string[] = [];
  value: string;

  constructor(value: string) {
    this.value = value;
  }

  edit(value: string): void {
    this.past.push(this.value);
    this.future = [];
    this.value = value;
  }

  step(wish: 'undo' | 'redo'): boolean {
    const [from, to] = wish === 'undo' ? [this.past, this.future] : [this.future, this.past];
    const value = from.pop();
    if (value === undefined) return false;
    to.push(this.value);
    this.value = value;
    return true;
  }
}
