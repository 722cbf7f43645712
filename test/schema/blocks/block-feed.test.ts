import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changeBlock } from '../../../schema/blocks/changes.js';
import {
  type FeedPlace,
  findFeedEnd,
  type FeedRevision,
  readBlockFeed,
} from '../../../schema/blocks/feed.js';
import { createBlock } from '../../../schema/blocks/blocks.js';
import type { Db, Tx } from '../../../schema/db/database.js';
import { openTestDatabase, type OpenedDatabase } from '../fixtures.js';

describe('[block.follow-all] the feed of all blocks', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(8);
  });
  afterAll(() => database.close());

  const aBlock = (db: Db | Tx) => createBlock(db, { label: 'notes', value: '' });
  const append = (db: Db | Tx, blockId: string, content: string) =>
    changeBlock(db, { blockId, operation: { kind: 'append', content }, actor: 'user' });

  const here = () => findFeedEnd(database.db, () => setImmediate());

  /** Reads until everything that is written by now has been returned. */
  async function readAll(from: FeedPlace): Promise<{ read: FeedRevision[]; place: FeedPlace }> {
    const read: FeedRevision[] = [];
    let place = from;
    for (;;) {
      const page = await readBlockFeed(database.db, place);
      read.push(...page.revisions);
      place = page.place;
      if (page.isSettled) return { read, place };
    }
  }

  const shownOf = (read: readonly FeedRevision[]) =>
    read.map(({ revision }) => [revision.blockId, revision.revision]);

  /** A transaction that stays open until it is told how to end. */
  function anOpenTransaction(work: (tx: Tx) => Promise<unknown>) {
    let end: (how: 'commit' | 'roll back') => void = () => undefined;
    let written: () => void = () => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const told = new Promise<'commit' | 'roll back'>((resolve) => (end = resolve));
    const over = database.db
      .transaction()
      .execute(async (tx) => {
        await work(tx);
        written();
        if ((await told) === 'roll back') throw new RangeError('rolled back');
      })
      .catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
      });
    return { isWritten, end: (how: 'commit' | 'roll back') => (end(how), over) };
  }

  it('waits for a writer that commits after one with a larger number', async () => {
    const { db } = database;
    const [late, early] = [await aBlock(db), await aBlock(db)];
    const start = await here();
    const open = anOpenTransaction((tx) => append(tx, late.id, 'first number'));
    await open.isWritten;
    await append(db, early.id, 'second number');

    const before = await readBlockFeed(db, start);
    await open.end('commit');
    const { read } = await readAll(before.place);

    expect(before).toMatchObject({ revisions: [], isSettled: false });
    expect(shownOf(read)).toEqual([
      [late.id, 2],
      [early.id, 2],
    ]);
  });

  it('continues after a number whose writer was rolled back', async () => {
    const { db } = database;
    const [undone, kept] = [await aBlock(db), await aBlock(db)];
    const start = await here();
    const open = anOpenTransaction((tx) => append(tx, undone.id, 'never'));
    await open.isWritten;
    await append(db, kept.id, 'kept');

    const before = await readBlockFeed(db, start);
    await open.end('roll back');
    const { read } = await readAll(before.place);

    expect(before.revisions).toEqual([]);
    expect(shownOf(read)).toEqual([[kept.id, 2]]);
  });

  it('does not wait for other transactions when no number is missing', async () => {
    const { db } = database;
    const block = await aBlock(db);
    const start = await here();
    await append(db, block.id, 'one');
    const open = anOpenTransaction((tx) => aBlock(tx));
    await open.isWritten;

    const page = await readBlockFeed(db, start);
    await open.end('commit');

    expect(shownOf(page.revisions)).toEqual([[block.id, 2]]);
  });

  it('gives every reader the same events in one order, each once, while many write and some roll back', async () => {
    const { db } = database;
    const blocks = await Promise.all(Array.from({ length: 5 }, () => aBlock(db)));
    const start = await here();
    const plan = fc.sample(fc.tuple(fc.nat(4), fc.boolean()), { numRuns: 300, seed: 3 });
    let isWriting = true;
    const reading = [1, 2].map(async () => {
      const seen: FeedRevision[] = [];
      let place = start;
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        const { read, place: reached } = await readAll(place);
        seen.push(...read);
        // All that a reader that connects again knows.
        place = { after: reached.after };
      }
      return seen;
    });
    await Promise.all(
      [0, 1, 2].map(async (writer) => {
        for (const [index, [block, isKept]] of plan.entries()) {
          if (index % 3 !== writer) continue;
          await db
            .transaction()
            .execute(async (tx) => {
              await append(tx, blocks[block]!.id, `line ${index}`);
              if (!isKept) throw new RangeError('undone');
            })
            .catch((error: unknown) => {
              if (!(error instanceof RangeError)) throw error;
            });
        }
      }),
    );
    isWriting = false;

    const [one = [], other = []] = await Promise.all(reading);

    expect(one).toEqual(other);
    const lines = one.map(({ revision }) => 'content' in revision.operation && revision.operation.content);
    const kept = plan.flatMap(([, isKept], index) => (isKept ? [`line ${index}`] : []));
    expect([...lines].sort()).toEqual([...kept].sort());
    expect(one.map(({ seq }) => seq)).toEqual(one.map(({ seq }) => seq).sort((a, b) => a - b));
  });

  it('begins after the writes in progress, and misses nothing that is committed later', async () => {
    const { db } = database;
    const block = await aBlock(db);
    const open = anOpenTransaction((tx) => append(tx, block.id, 'on its way'));
    await open.isWritten;
    let pauses = 0;

    const start = await findFeedEnd(db, async () => {
      pauses += 1;
      if (pauses === 3) await open.end('commit');
    });
    await append(db, block.id, 'from now on');

    // The feed also waits for transactions of other databases on the server.
    expect(pauses).toBeGreaterThanOrEqual(3);
    expect(shownOf((await readAll(start)).read)).toEqual([[block.id, 3]]);
  });

  it('omits what the runtime writes for itself', async () => {
    const { db } = database;
    const block = await aBlock(db);
    const start = await here();
    const operation = { kind: 'set', value: 'a summary' } as const;
    await changeBlock(db, { blockId: block.id, operation, actor: 'runtime' });
    await append(db, block.id, 'seen');

    expect(shownOf((await readAll(start)).read)).toEqual([[block.id, 3]]);
  });
});
