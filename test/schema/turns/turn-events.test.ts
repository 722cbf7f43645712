import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { readEvents } from '../../../schema/turns/events.js';
import { anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

describe('[stream.bounded] a page of a turn’s log', () => {
  let database: OpenedDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  });

  afterAll(() => database.close());

  /** A turn whose log has fragments of these lengths. */
  async function aLog(turnId: string, lengths: readonly number[]): Promise<void> {
    const { id } = await anAgent(database.db);
    await sql`insert into turns (id, agent_id, thread_id, state) values (${turnId}, ${id}, ${id}, 'running')`.execute(
      database.db,
    );
    for (const [index, length] of lengths.entries()) {
      const event = { kind: 'delta', delta: { kind: 'text', text: randomBytes(length / 2).toString('hex') } };
      await sql`insert into turn_events (turn_id, seq, event)
        values (${turnId}, ${index + 1}, ${JSON.stringify(event)}::jsonb)`.execute(database.db);
    }
  }

  it('is bounded in bytes, and all pages together are the whole log', async () => {
    await aLog(
      'run-long',
      Array.from({ length: 40 }, () => 8_000),
    );

    const pages: number[][] = [];
    for (let after = 0; after < 40; after = pages.at(-1)?.at(-1) ?? 40) {
      pages.push((await readEvents(database.db, 'run-long', after)).map(({ seq }) => seq));
    }

    expect(pages.flat()).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThan(20);
  });

  it('is a single event when that event is longer than a page', async () => {
    await aLog('run-large', [300_000, 300_000]);

    const [first, ...others] = await readEvents(database.db, 'run-large', 0);

    expect([first?.seq, others]).toEqual([1, []]);
  });
});
