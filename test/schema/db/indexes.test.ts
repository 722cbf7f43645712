import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../schema/db/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';

describe('the indexes', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase(test.url, { connections: 1 });
  });

  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  it('[scale.foreign-keys] cover every foreign key, for deletes of the rows that it points at', async () => {
    // An index without the null rows is enough: no deleted row has a null key.
    const { rows } = await sql<{ key: string }>`
      select format('%s (%s)', conrelid::regclass, string_agg(attname, ', ' order by place)) as key
      from pg_constraint
        cross join unnest(conkey) with ordinality as keyed (attnum, place)
        join pg_attribute on attrelid = conrelid and pg_attribute.attnum = keyed.attnum
      where contype = 'f' and not exists (
        select from pg_index
        where indrelid = conrelid and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
          and (indpred is null or pg_get_expr(indpred, indrelid) = format('(%s IS NOT NULL)', (
            select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]))))
      group by pg_constraint.oid, conrelid order by key`.execute(database.db);

    expect(rows.map(({ key }) => key)).toEqual([]);
  });
});
