import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { listen, type Listening } from '../../../client/listening.js';
import { inTransaction } from '../../../schema/db/database.js';
import { hint } from '../../../schema/db/hints.js';
import { waitFor } from '../../../stack/waiting.js';
import { type OpenedDatabase, openTestDatabase } from '../fixtures.js';

let database: OpenedDatabase;
let listening: Listening;
const heard: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  listening = listen({
    databaseUrl: database.url,
    channel: 'news',
    onPayload: (payload) => heard.push(payload),
  });
  await listening.begun;
});

afterAll(async () => {
  await listening.close();
  await database.close();
});

const isHeard = (payload: string) =>
  waitFor(() => (heard.includes(payload) ? true : undefined), { timeoutMs: 30_000 });

it('[scale.hints] hints arrive after their transaction commits, and never after a rollback', async () => {
  await inTransaction(database.db, async (tx) => {
    hint(tx, 'news', 'undone');
    await sql`select 1`.execute(tx);
    throw new Error('no');
  }).catch(() => undefined);
  await inTransaction(database.db, async (tx) => {
    hint(tx, 'news', 'committed');
    hint(tx, 'news', 'committed');
    // Sent on the same connection: a hint sent before the commit would arrive before this one.
    hint(database.db, 'news', 'meanwhile');
    await isHeard('meanwhile');
  });
  await isHeard('committed');
  hint(database.db, 'news', 'last');
  await isHeard('last');

  expect(heard).toEqual(['meanwhile', 'committed', 'last']);
});

it('[scale.hints] hints continue after their connection was cut', async () => {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%pg_notify(channel, payload)%'
      and pid <> pg_backend_pid()`.execute(database.db);

  const isBack = await waitFor(
    () => {
      hint(database.db, 'news', 'again');
      return heard.includes('again') ? true : undefined;
    },
    { timeoutMs: 30_000, everyMs: 50 },
  );

  expect(isBack).toBe(true);
});
