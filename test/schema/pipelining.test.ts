import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, type Db, openDatabase } from '../../schema/database.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

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
  ] as const)('sees of others what its isolation level says: %s', async (level, counts) => {
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

  it('writes nothing where it is to read only', async () => {
    const writing = db
      .transaction()
      .setAccessMode('read only')
      .execute((tx) => sql`insert into seen values (2)`.execute(tx));

    // read_only_sql_transaction
    await expect(writing).rejects.toMatchObject({ code: '25006' });
  });
});
