import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { SettingsError } from '../../adapters/settings/settings-error.js';
import { checkConnections, type DatabaseUrls } from '../../schema/db/connection-check.js';
import { inSession, inTransaction, openDatabase } from '../../schema/db/database.js';
import { defaultLimits } from '../../schema/db/wait-limits.js';
import { rejection } from '../schema/fixtures.js';
import { hasPgbouncer, type Pooler, startPgbouncer } from '../support/pgbouncer.js';
import { createTestDatabase, type TestDatabase } from '../support/runtime/postgres.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { holdThread } from '../support/faults/silent-holder.js';
import { readTestState } from '../support/run/test-state.js';

/** Resolves with the ways where they are right. */
const check = async (databaseUrl: string, databaseDirectUrl = databaseUrl): Promise<DatabaseUrls> => {
  const ways = { databaseUrl, databaseDirectUrl };
  await checkConnections(ways, defaultLimits);
  return ways;
};

describe('a database without a pooler', () => {
  it('is one whose sessions are ours [waits.direct]', async () => {
    const { url, drop } = await createTestDatabase();

    expect(await check(url)).toMatchObject({ databaseUrl: url });
    await drop();
  });

  it('is not taken for another one [waits.direct]', async () => {
    const [one, other] = [await createTestDatabase(), await createTestDatabase()];

    const error = await rejection(check(one.url, other.url));

    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toMatch(/DATABASE_DIRECT_URL leads to another database than DATABASE_URL\./);
    await one.drop();
    await other.drop();
  });
});

// Debian: apt-get install pgbouncer.
(hasPgbouncer() ? describe : describe.skip)('behind pgbouncer in transaction mode', () => {
  let pooler: Pooler;
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    pooler = await startPgbouncer(readTestState().adminUrl);
    testDatabase = await createTestDatabase();
  });
  afterAll(async () => {
    await testDatabase.drop();
    await pooler.close();
  });

  it('says which setting leads past it [waits.direct]', async () => {
    const { url } = testDatabase;

    expect(String(await rejection(check(pooler.through(url))))).toMatch(
      /DATABASE_URL leads through a pooler, .* Set DATABASE_DIRECT_URL to the PostgreSQL server itself/,
    );
    expect(String(await rejection(check(url, pooler.through(url))))).toMatch(
      /DATABASE_DIRECT_URL leads through a pooler/,
    );
    expect(await check(pooler.through(url), url)).toMatchObject({ databaseDirectUrl: url });
  });

  it('every statement has its limits, and sessions are those of the server [waits.direct]', async () => {
    const { url } = testDatabase;
    const limits = { ...defaultLimits, lockMs: 700 };
    const database = openDatabase(pooler.through(url), { limits, directUrl: url });
    const { db } = database;
    await sql`insert into agents (id, name, agent_type, system, model, embedding)
      values ('agent-1', 'a', 'memgpt_agent', '', 'm', 'e')`.execute(db);
    await sql`insert into threads (id, agent_id, is_default) values ('agent-1', 'agent-1', true)`.execute(db);
    const holder = await holdThread(url, 'agent-1');
    const lock = sql`update threads set next_position = 1 where id = ${'agent-1'}`;

    expect(await rejection(lock.execute(db))).toMatchObject({ code: '55P03' });
    expect(await rejection(inTransaction(db, (tx) => lock.execute(tx)))).toMatchObject({ code: '55P03' });
    const settings = sql<{ limit: string }>`select current_setting('lock_timeout') as limit`;
    expect((await settings.execute(db)).rows).toEqual([{ limit: '700ms' }]);
    await inSession(db, async (session) => {
      await sql`select pg_advisory_lock(1)`.execute(session);
      const { rows } = await sql`select pg_advisory_unlock(1) as "wasOurs"`.execute(session);
      expect(rows).toEqual([{ wasOurs: true }]);
    });
    await holder.release();
    await database.close();
  });

  it('statements that it lost are prepared no more, and nobody is told [waits.new-plan]', async () => {
    const { url } = testDatabase;
    const databases = [1, 2].map(() => openDatabase(pooler.through(url), { directUrl: url }));
    const find = (number: number) => sql<{ n: number }>`select ${number}::integer + 1 as n`;

    const rounds = Array.from({ length: 40 }, (_, round) =>
      databases.flatMap(({ db }) => [
        find(round).execute(db),
        inTransaction(db, async (tx) => {
          await find(round).execute(tx);
          return find(round).execute(tx);
        }),
      ]),
    );
    const answers = await Promise.all(rounds.flat());

    expect(answers.map(({ rows }) => rows[0]?.n)).toEqual(
      Array.from({ length: 160 }, (_, index) => Math.floor(index / 4) + 1),
    );
    for (const database of databases) await database.close();
  });

  describe('a worker', () => {
    const models = createScriptedModels();
    let runtime: TestRuntime;
    beforeAll(async () => {
      runtime = await startRuntime({ models, through: (url) => pooler.through(url) });
      await runtime.startWorker();
    });
    afterAll(() => runtime.close());

    it('runs turns side by side, with tools and waiting senders [waits.direct]', async () => {
      const agents = await Promise.all(Array.from({ length: 6 }, () => runtime.anAgent()));
      models.script(
        ...Array.from(
          { length: 12 },
          () => (request: { messages: readonly { role: string }[] }) =>
            request.messages.some(({ role }) => role === 'tool')
              ? saying('Noted.')
              : callOf('core_memory_append', {
                  label: 'human',
                  content: 'They sail.',
                  request_heartbeat: true,
                }),
        ),
      );

      const turns = await Promise.all(agents.map((agent) => runtime.tell(agent, 'I sail.')));

      expect(turns.map(({ state, steps }) => [state, steps])).toEqual(Array(6).fill(['completed', 2]));
    });
  });
});
