import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { listen } from '../../client/listening.js';
import { waitFor } from '../../stack/waiting.js';
import { type OpenedDatabase, openTestDatabase } from '../schema/fixtures.js';

let database: OpenedDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database.close());

it('[client.listening] the listener closes a connection that failed to start and opens another', async () => {
  const url = new URL(database.url);
  url.searchParams.set('application_name', 'listening');
  const heard: string[] = [];
  let begun = 0;
  const listening = listen({
    databaseUrl: url.href,
    channel: 'news',
    onPayload: (payload) => heard.push(payload),
    onConnected: () => {
      begun += 1;
      return begun === 1 ? Promise.reject(new Error('Not yet.')) : Promise.resolve();
    },
  });
  const connections = async (): Promise<number> => {
    const { rows } = await sql`
      select from pg_stat_activity where application_name = 'listening' and datname = current_database()`.execute(
      database.db,
    );
    return rows.length;
  };

  await listening.begun;
  await waitFor(() => (begun === 2 ? true : undefined), { timeoutMs: 30_000 });
  const left = await waitFor(async () => ((await connections()) === 1 ? 1 : undefined), {
    timeoutMs: 10_000,
  });
  await sql`select pg_notify('news', 'said')`.execute(database.db);
  await waitFor(() => heard[0], { timeoutMs: 30_000 });
  await listening.close();

  expect(left).toBe(1);
  expect(heard).toEqual(['said']);
  expect(begun).toBe(2);
});
