import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, type Db, inTransaction, openDatabase } from '../../../schema/db/database.js';
import { isOutage } from '../../../schema/db/outages.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';

describe('a pipelined transaction', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let db: Db;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url);
    db = database.db;
    await sql`create table seen (number integer)`.execute(db);
  });

  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const count = async (from: Db): Promise<number> =>
    (await sql<{ count: number }>`select count(*) from seen`.execute(from)).rows[0]?.count ?? NaN;

  it.each([
    ['read committed', [0, 1]],
    ['repeatable read', [0, 0]],
  ] as const)('sees the writes of others as its isolation level allows: %s', async (level, counts) => {
    await sql`truncate seen`.execute(db);

    const seen = await db
      .transaction()
      .setIsolationLevel(level)
      .execute(async (tx) => {
        const before = await count(tx);
        await sql`insert into seen values (1)`.execute(db);
        return [before, await count(tx)];
      });

    expect(seen).toEqual(counts);
  });

  it('fails alone when its connection is cut between two of its statements [wire.outage-between]', async () => {
    const said: unknown[] = [];
    const other = openDatabase(testDatabase.url, { onConnectionLost: (error) => said.push(error) });
    const cut = other.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 10000)`.execute(db);
      await sql`insert into seen values (1)`.execute(tx);
    });

    expect(await cut.catch(isOutage)).toBe(true);
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(other.db);
    expect([rows, said]).toEqual([[{ one: 1 }], []]);
    await other.close();
  });

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => (error as { code?: unknown }).code,
    );

  describe('whose tables are changed after its statements were prepared [waits.new-plan]', () => {
    const find = (from: Db, number: number) =>
      sql<object>`select * from planned where number = ${number}`.execute(from);
    let columns = 0;

    /** Prepares the statement on five connections, then changes what it returns. */
    const outdate = async (): Promise<void> => {
      await sql`create table if not exists planned (number integer)`.execute(db);
      const together = Array.from({ length: 5 }, () =>
        db.transaction().execute(async (tx) => {
          await find(tx, 1);
          await sql`select pg_sleep(0.1)`.execute(tx);
        }),
      );
      await Promise.all(together);
      columns += 1;
      await sql.raw(`alter table planned add column c${columns} integer`).execute(db);
    };

    it('does not break single statements', async () => {
      await outdate();
      const answers = await Promise.all(Array.from({ length: 10 }, () => find(db, 1)));

      expect(answers.map(({ rows }) => rows)).toEqual(Array(10).fill([]));
    });

    it('is run once more, wherever in it the statement is', async () => {
      await outdate();
      let begun = 0;
      await inTransaction(db, async (tx) => {
        begun += 1;
        await sql`insert into planned (number) values (${begun})`.execute(tx);
        await Promise.all([count(tx), find(tx, 1), find(tx, 2)]);
      });

      expect(begun).toBe(2);
      const { rows } = await sql<{ number: number }>`select number from planned`.execute(db);
      expect(rows).toEqual([{ number: 2 }]);
    });

    it('reports why it failed first, not the failure that followed', async () => {
      const failing = db.transaction().execute(async (tx) => {
        const wrong = sql`select ${'x'}::text::integer`.execute(tx);
        wrong.catch(() => undefined);
        await find(tx, 1);
      });

      // invalid_text_representation, not in_failed_sql_transaction
      expect(await codeOf(failing)).toBe('22P02');
    });
  });

  it('writes nothing when it is read-only', async () => {
    const writing = db
      .transaction()
      .setAccessMode('read only')
      .execute((tx) => sql`insert into seen values (2)`.execute(tx));

    // read_only_sql_transaction
    await expect(writing).rejects.toMatchObject({ code: '25006' });
  });
});
