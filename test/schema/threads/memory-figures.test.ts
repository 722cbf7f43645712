import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { purgeAgent } from '../../../schema/agents/purge.js';
import { deleteAgent } from '../../../schema/agents/agents.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import { countMemory } from '../../../schema/threads/epochs.js';
import { deletePassage, insertPassages, listPassages } from '../../../schema/archives/passages.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { appendToTranscript } from '../../../schema/threads/transcript.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

describe('the memory figures of an agent', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const figuresOf = (agentId: string) => countMemory(database.db, { id: agentId, agentId });

  const say = (agentId: string, count: number) =>
    database.db.transaction().execute(async (tx) => {
      const thread = await lockThread(tx, agentId);
      await appendToTranscript(
        tx,
        thread!,
        Array.from({ length: count }, () => aMessage({ agentId })),
      );
    });

  const moveQueue = (agentId: string, to: number) =>
    database.db
      .updateTable('threads')
      .set({ queue_start: sql<number>`least(${to}::bigint, next_position)` })
      .where('id', '=', agentId)
      .execute();

  /** The figures counted row by row. */
  const countedRows = async (agentId: string) => {
    const rows = await sql<{ recall: number; archival: number }>`
      select
        (select count(*) from messages join threads on threads.id = messages.thread_id
          where threads.id = ${agentId} and position < queue_start) as recall,
        (select count(*) from passages join agent_archives using (archive_id)
          where agent_id = ${agentId}) as archival`.execute(database.db);
    const { recall, archival } = rows.rows[0]!;
    return { recallMessages: recall, archivalPassages: archival };
  };

  it('follow every write, move and delete [memory.counted]', async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('say' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('move' as const), to: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ kind: fc.constant('forget' as const), position: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ kind: fc.constant('keep' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('drop' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        const { id } = await anAgent(database.db);
        for (const one of acts) {
          if (one.kind === 'say') await say(id, one.count);
          if (one.kind === 'move') await moveQueue(id, one.to);
          if (one.kind === 'forget') {
            await database.db
              .deleteFrom('messages')
              .where('thread_id', '=', id)
              .where('position', '=', one.position)
              .execute();
          }
          if (one.kind === 'keep') {
            await insertPassages(
              database.db,
              id,
              Array.from({ length: one.count }, () => ({ text: 'x' })),
            );
          }
          if (one.kind === 'drop') {
            const [passage] = await listPassages(database.db, { agentId: id }, { limit: 1 });
            if (passage !== undefined) await deletePassage(database.db, id, passage.id);
          }
          expect(await figuresOf(id)).toEqual(await countedRows(id));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('count a shared archive for each of its agents, and what a purge leaves [memory.counted]', async () => {
    const mine = await anAgent(database.db);
    const other = await anAgent(database.db);
    const archive = await agentArchive(database.db, mine.id);
    await database.db
      .insertInto('agent_archives')
      .values({ agent_id: other.id, archive_id: archive.id, is_owner: false })
      .execute();
    await insertPassages(database.db, mine.id, [{ text: 'a' }, { text: 'b' }]);
    await insertPassages(database.db, other.id, [{ text: 'c' }]);

    expect((await figuresOf(mine.id)).archivalPassages).toBe(2);
    expect((await figuresOf(other.id)).archivalPassages).toBe(3);
    await deleteAgent(database.db, mine.id);
    await purgeAgent(database.db, mine.id);
    expect((await figuresOf(other.id)).archivalPassages).toBe(3);
  });

  it('cost the same with 100,000 messages and passages as with 1,000 [memory.counted]', async () => {
    const young = await anAgent(database.db);
    const old = await anAgent(database.db);
    await fill(young.id, 1_000);
    await fill(old.id, 100_000);
    await sql`analyze`.execute(database.db);

    expect(await figuresOf(old.id)).toEqual({ recallMessages: 99_990, archivalPassages: 100_000 });
    expect(await figuresOf(young.id)).toEqual({ recallMessages: 990, archivalPassages: 1_000 });
    const rows = await rowsRead(young.id);
    expect(rows).toBeGreaterThan(0);
    expect(await rowsRead(old.id)).toBe(rows);
  });

  async function fill(agentId: string, count: number): Promise<void> {
    const { db } = database;
    await sql`
      insert into messages (id, agent_id, thread_id, position, kind, body, words, tokens)
      select ${agentId} || i, ${agentId}, ${agentId}, i, 'heartbeat', '{"kind":"heartbeat","reason":""}', '', 1
      from generate_series(1, ${count}::int) as i`.execute(db);
    await database.db
      .updateTable('threads')
      .set({ next_position: count + 1 })
      .where('id', '=', agentId)
      .execute();
    await moveQueue(agentId, count - 9);
    const archive = await agentArchive(db, agentId);
    await sql`
      insert into passages (id, archive_id, words)
      select ${agentId} || i, ${archive.id}, '' from generate_series(1, ${count}::int) as i`.execute(db);
  }

  /** The number of rows that PostgreSQL reads for the figures. */
  async function rowsRead(agentId: string): Promise<number> {
    return database.db.transaction().execute(async (tx) => {
      const read = async () => {
        const rows = await sql<{ rows: number }>`
          select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as rows
          from pg_stat_xact_all_tables where schemaname = 'public'`.execute(tx);
        return rows.rows[0]!.rows;
      };
      const before = await read();
      await countMemory(tx, { id: agentId, agentId });
      return (await read()) - before;
    });
  }
});
