import { describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { createTestDatabase } from '../support/runtime/postgres.js';
import { testTemporal } from '../support/runtime/temporal.js';

describe('the servers of a test run', () => {
  it('gives each test a database of its own, clones made at the same time included', async () => {
    const databases = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);

    const names = await Promise.all(
      databases.map(async ({ url, drop }) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        const { rows } = await client.query<{ name: string }>('select current_database() as name');
        await client.end();
        await drop();
        return rows[0]?.name;
      }),
    );

    expect(new Set(names).size).toBe(3);
  });

  it('has a Temporal with the search attributes of perdure', async () => {
    const { address, namespace } = testTemporal();
    const connection = await Connection.connect({ address });

    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    await connection.close();

    expect(customAttributes).toMatchObject({ PerdureAgent: 2, PerdureTurn: 2 });
  });
});
