import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attachBlock, blockAgents, detachBlock, getAgentBlock } from '../../../schema/blocks/agent-blocks.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { getRevision, listRevisions } from '../../../schema/blocks/revisions.js';
import {
  createBlock,
  deleteBlock,
  getBlock,
  listBlocks,
  updateBlockFields,
} from '../../../schema/blocks/blocks.js';
import { inTransaction } from '../../../schema/db/database.js';
import { BlockLimitError, BlockNotFoundError, LabelTakenError } from '../../../schema/blocks/errors.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('blocks', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(12);
  });
  afterAll(() => database.close());

  describe('a new block', () => {
    it('[memory.block-fields] has a default limit, a description and a first revision', async () => {
      const block = await createBlock(database.db, { label: 'human', value: 'Sam' });

      expect(block).toMatchObject({
        label: 'human',
        value: 'Sam',
        limit: 2_000,
        readOnly: false,
        revision: 1,
      });
      expect(block.description).toContain('person');
      expect(await listRevisions(database.db, block.id)).toMatchObject([
        { revision: 1, operation: { kind: 'create' }, value: 'Sam', actor: 'user' },
      ]);
    });

    it('[memory.default-limit] is never refused because of a default limit', async () => {
      const block = await createBlock(database.db, { label: 'human', value: 'x'.repeat(3_000) });

      expect(block.limit).toBe(3_000);
    });

    it('[memory.code-points] is refused beyond a given limit, counted in code points', async () => {
      expect(await createBlock(database.db, { label: 'a', value: '😀😀', limit: 2 })).toMatchObject({
        limit: 2,
      });

      const failure = await rejection(createBlock(database.db, { label: 'a', value: '😀😀😀', limit: 2 }));

      expect(failure).toBeInstanceOf(BlockLimitError);
      expect(failure).toMatchObject({ label: 'a', limit: 2, size: 3 });
    });

    it('is created once when its id is used twice', async () => {
      const id = 'block-00000000-0000-4000-8000-000000000001';
      await createBlock(database.db, { id, label: 'a', value: 'first' });

      const again = await createBlock(database.db, { id, label: 'a', value: 'second' });

      expect(again.value).toBe('first');
      expect(await listRevisions(database.db, id)).toHaveLength(1);
    });
  });

  describe('a change', () => {
    it('[memory.revisions] is applied to the current value, and leaves a revision with its author and operation', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: 'one' });

      const outcome = await changeBlock(db, {
        blockId: block.id,
        operation: { kind: 'append', content: 'two' },
        actor: 'agent',
        agentId: 'agent-1',
        turnId: 'run-1',
        stepId: 'step-1',
        toolCallId: 'call-1',
      });

      expect(outcome).toMatchObject({ ok: true, block: { value: 'one\ntwo', revision: 2 } });
      expect(await getRevision(db, block.id, 2)).toMatchObject({
        operation: { kind: 'append', content: 'two' },
        value: 'one\ntwo',
        actor: 'agent',
        agentId: 'agent-1',
        turnId: 'run-1',
        stepId: 'step-1',
        toolCallId: 'call-1',
      });
      expect(await getRevision(db, block.id, 1)).toMatchObject({ value: 'one' });
      expect((await listRevisions(db, block.id, { before: 2 })).map((entry) => entry.revision)).toEqual([1]);
    });

    it('[memory.no-lost-update] is kept beside nineteen changes made at the same time', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: '' });
      const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);

      await Promise.all(
        lines.map((content) =>
          changeBlock(db, { blockId: block.id, operation: { kind: 'append', content }, actor: 'agent' }),
        ),
      );

      const after = await getBlock(db, block.id);
      expect(after?.value.split('\n').sort()).toEqual([...lines].sort());
      expect(after?.revision).toBe(21);
      const revisions = await listRevisions(db, block.id);
      const values = revisions.map((revision) => revision.value).reverse();
      values.slice(1).forEach((value, index) => {
        expect(value.startsWith(values[index]!)).toBe(true);
      });
    });

    it('[tool.transactional] happens once for an effect, however often it is tried', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: '' });
      const change = {
        blockId: block.id,
        operation: { kind: 'append', content: 'once' },
        actor: 'agent',
        effectId: `effect-of-${block.id}`,
      } as const;

      const tries = await Promise.all([1, 2, 3].map(() => changeBlock(db, change)));
      await changeBlock(db, { blockId: block.id, operation: { kind: 'set', value: 'later' }, actor: 'user' });
      const late = await changeBlock(db, change);

      for (const outcome of [...tries, late]) {
        expect(outcome).toMatchObject({ ok: true, block: { value: 'once', revision: 2 } });
      }
      expect(await getBlock(db, block.id)).toMatchObject({ value: 'later', revision: 3 });
    });

    it.each([
      ['not_found', { kind: 'replace', old: 'three', new: '', all: true }],
      ['too_long', { kind: 'append', content: 'x'.repeat(100) }],
      ['conflict', { kind: 'rewrite', value: 'new', base: 7 }],
    ] as const)('writes nothing when it is refused as %s', async (code, operation) => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: 'one two', limit: 20 });

      const outcome = await changeBlock(db, { blockId: block.id, operation, actor: 'agent' });

      expect(outcome).toMatchObject({ ok: false, code, block: { value: 'one two', revision: 1 } });
      expect(await getBlock(db, block.id)).toEqual(block);
      expect(await listRevisions(db, block.id)).toHaveLength(1);
    });

    it('[memory.conflict] on an outdated revision is a conflict that shows the current value', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: 'mine' });
      await changeBlock(db, {
        blockId: block.id,
        operation: { kind: 'set', value: 'theirs' },
        actor: 'user',
      });

      const set = { kind: 'set', value: 'stale' } as const;
      const stale = await changeBlock(db, {
        blockId: block.id,
        operation: set,
        actor: 'user',
        ifRevision: 1,
      });
      const fresh = await changeBlock(db, {
        blockId: block.id,
        operation: set,
        actor: 'user',
        ifRevision: 2,
      });

      expect(stale).toMatchObject({ ok: false, code: 'conflict', block: { value: 'theirs', revision: 2 } });
      expect(stale.ok ? '' : stale.message).toContain('theirs');
      expect(fresh).toMatchObject({ ok: true, block: { value: 'stale', revision: 3 } });
    });

    it('[memory.read-only] of a read-only block is refused to agents and allowed to users', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'rules', value: 'a', readOnly: true });
      const operation = { kind: 'set', value: 'b' } as const;

      const byAgent = await changeBlock(db, { blockId: block.id, operation, actor: 'agent' });
      const byUser = await changeBlock(db, { blockId: block.id, operation, actor: 'user' });

      expect(byAgent).toMatchObject({ ok: false, code: 'read_only', block: { value: 'a' } });
      expect(byUser).toMatchObject({ ok: true, block: { value: 'b', readOnly: true } });
    });

    it('is refused only to the agent to which the block is attached read-only', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'rules', value: 'a' });
      const reader = await anAgent(db);
      const writer = await anAgent(db, { blockIds: [block.id] });
      await attachBlock(db, { agentId: reader.id, blockId: block.id, readOnly: true });
      const change = { blockId: block.id, operation: { kind: 'set', value: 'b' }, actor: 'agent' } as const;

      const refused = await changeBlock(db, { ...change, agentId: reader.id });
      const done = await changeBlock(db, { ...change, agentId: writer.id });

      expect(refused).toMatchObject({ ok: false, code: 'read_only' });
      expect(done).toMatchObject({ ok: true, block: { value: 'b' } });
      expect(await getAgentBlock(db, reader.id, 'rules')).toMatchObject({ readOnly: true });
      expect(await getAgentBlock(db, writer.id, 'rules')).toMatchObject({ readOnly: false });
    });

    it('is rolled back with its transaction', async () => {
      const { db } = database;
      const block = await createBlock(db, { label: 'notes', value: 'kept' });
      const undone = inTransaction(db, async (tx) => {
        await changeBlock(tx, {
          blockId: block.id,
          operation: { kind: 'set', value: 'lost' },
          actor: 'user',
        });
        throw new RangeError('undo');
      });

      expect(await rejection(undone)).toBeInstanceOf(RangeError);
      expect(await getBlock(db, block.id)).toMatchObject({ value: 'kept', revision: 1 });
      expect(await listRevisions(db, block.id)).toHaveLength(1);
    });

    it('of an unknown block is rejected', async () => {
      const failure = await rejection(
        changeBlock(database.db, {
          blockId: 'block-none',
          operation: { kind: 'set', value: '' },
          actor: 'user',
        }),
      );

      expect(failure).toBeInstanceOf(BlockNotFoundError);
      expect(failure).toMatchObject({ blockId: 'block-none' });
    });
  });

  it('change fields without a revision, and the label for every agent', async () => {
    const { db } = database;
    const block = await createBlock(db, { label: 'old', value: 'v', extras: { a: 1, b: 1 } });
    const agent = await anAgent(db, { blockIds: [block.id], blocks: [{ label: 'human', value: '' }] });

    const updated = await updateBlockFields(db, block.id, {
      label: 'new',
      limit: 5,
      description: null,
      readOnly: true,
      metadata: { m: 1 },
      tags: ['t'],
      extras: { b: 2 },
    });

    expect(updated).toMatchObject({
      label: 'new',
      limit: 5,
      description: null,
      readOnly: true,
      metadata: { m: 1 },
      tags: ['t'],
      extras: { a: 1, b: 2 },
      revision: 1,
    });
    expect(await getAgentBlock(db, agent.id, 'new')).toMatchObject({ id: block.id });
    const taken = await rejection(updateBlockFields(db, block.id, { label: 'human' }));
    expect(taken).toBeInstanceOf(LabelTakenError);
    expect(taken).toMatchObject({ label: 'human', agentId: agent.id });
    const missing = await rejection(updateBlockFields(db, 'block-none', { limit: 1 }));
    expect(missing).toBeInstanceOf(BlockNotFoundError);
  });

  it('are attached once, refused under a taken label, detached and deleted', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const block = await createBlock(db, { label: 'one', value: '' });
    const rival = await createBlock(db, { label: 'one', value: '' });
    await attachBlock(db, { agentId: agent.id, blockId: block.id });
    await attachBlock(db, { agentId: agent.id, blockId: block.id });

    expect(await blockAgents(db, block.id)).toEqual([agent.id]);
    const taken = await rejection(attachBlock(db, { agentId: agent.id, blockId: rival.id }));
    expect(taken).toBeInstanceOf(LabelTakenError);

    await detachBlock(db, agent.id, block.id);
    await attachBlock(db, { agentId: agent.id, blockId: rival.id });
    await deleteBlock(db, rival.id);

    const missing = await rejection(getAgentBlock(db, agent.id, 'one'));
    expect(missing).toBeInstanceOf(BlockNotFoundError);
    expect(missing).toMatchObject({ agentId: agent.id, label: 'one' });
    expect(await getBlock(db, block.id)).toBeDefined();
    expect(await rejection(deleteBlock(db, rival.id))).toBeInstanceOf(BlockNotFoundError);
  });

  it('are listed by label, name, tags and part of their text', async () => {
    const { db } = database;
    const first = await createBlock(db, {
      label: 'listed_a',
      value: 'needle_1',
      tags: ['x', 'y'],
      extras: { name: 'template' },
    });
    const second = await createBlock(db, { label: 'listed_b', value: 'needleX1', tags: ['y'] });
    const ids = async (filter: Parameters<typeof listBlocks>[1]) =>
      (await listBlocks(db, filter, {})).map((block) => block.id);

    expect(await ids({ labels: ['listed_a', 'listed_b'] })).toEqual([first.id, second.id]);
    expect(await ids({ name: 'template' })).toEqual([first.id]);
    expect(await ids({ inValue: 'NEEDLE_' })).toEqual([first.id]);
    expect(await ids({ inLabel: 'needle' })).toEqual([]);
    expect(await ids({ inLabel: 'LISTED_A' })).toEqual([first.id]);
    expect(await ids({ tags: ['x', 'y'] })).toEqual([first.id, second.id]);
    expect(await ids({ tags: ['x', 'y'], matchAllTags: true })).toEqual([first.id]);
  });
});
