import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { listen } from '../../../client/listening.js';
import { inTransaction, openDatabase, type Tx, withoutDisk } from '../../../schema/db/database.js';
import { hint } from '../../../schema/db/hints.js';
import { lastStatements } from '../../../schema/db/last-statements.js';
import { waitFor } from '../../../stack/waiting.js';
import { openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('[schema.last-statements] a transaction that ends with its last statements', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await sql`create table seen (number integer primary key)`.execute(database.db);
  });
  beforeEach(() => sql`truncate seen`.execute(database.db));
  afterAll(() => database.close());

  const insert = async (tx: Tx, number: number): Promise<number> => {
    await sql`insert into seen values (${number})`.execute(tx);
    return number;
  };
  const stored = async (): Promise<readonly number[]> =>
    (await sql<{ number: number }>`select number from seen order by number`.execute(database.db)).rows.map(
      ({ number }) => number,
    );

  it('returns their results once it is committed', async () => {
    const answered = await inTransaction(database.db, (tx) =>
      Promise.resolve(lastStatements(Promise.all([insert(tx, 1), insert(tx, 2)]))),
    );

    expect(answered).toEqual([1, 2]);
    expect(await stored()).toEqual([1, 2]);
  });

  it('fails with the error of the first failed statement, and writes nothing', async () => {
    const failing = inTransaction(database.db, async (tx) => {
      await insert(tx, 1);
      return lastStatements(Promise.all([insert(tx, 2), insert(tx, 1), insert(tx, 3)]));
    });

    expect(await rejection(failing)).toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([]);
  });

  it('fails when a statement failed that was not awaited', async () => {
    const failing = inTransaction(database.db, (tx) => {
      insert(tx, 1).catch(() => undefined);
      insert(tx, 1).catch(() => undefined);
      return Promise.resolve('done');
    });

    expect(await rejection(failing)).toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([]);
  });

  it('is run again when the database rolled it back because of others', async () => {
    let begun = 0;
    const undoneOnce = inTransaction(database.db, (tx) => {
      begun += 1;
      const undo = sql`do $$ begin raise exception 'undone' using errcode = '40001'; end $$`;
      const work = Promise.all([insert(tx, begun), ...(begun === 1 ? [undo.execute(tx)] : [])]);
      return Promise.resolve(lastStatements(work.then(([number]) => number)));
    });

    expect(await undoneOnce).toBe(2);
    expect(await stored()).toEqual([2]);
  });

  it('sends the hints of its last statements', async () => {
    const heard: string[] = [];
    const listening = listen({
      databaseUrl: database.url,
      channel: 'last_statements',
      onPayload: (payload) => heard.push(payload),
    });
    await listening.begun;
    await inTransaction(database.db, (tx) => {
      const answers = insert(tx, 1).then(() => {
        hint(tx, 'last_statements', 'told', true);
      });
      return Promise.resolve(lastStatements(answers));
    });

    await waitFor(() => (heard.length > 0 ? true : undefined), { timeoutMs: 30_000 });
    expect(heard).toEqual(['told']);
    await listening.close();
  });

  it('waits for the disk unless it is told not to', async () => {
    await sql`do $$ begin
      execute format('alter database %I set synchronous_commit = on', current_database());
    end $$`.execute(database.db);
    const fresh = openDatabase(database.url, { connections: 1 });
    const setting = async (tx: Tx): Promise<string | undefined> =>
      (await sql<{ value: string }>`select current_setting('synchronous_commit') as value`.execute(tx))
        .rows[0]?.value;
    const within = await inTransaction(fresh.db, async (tx) => {
      await withoutDisk(tx);
      return setting(tx);
    });

    expect(within).toBe('off');
    expect(await inTransaction(fresh.db, setting)).toBe('on');
    await fresh.close();
  });
});
