import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Agent } from '../../../core/agents/agents.js';
import { type Database, openDatabase } from '../../../schema/db/database.js';
import { createGroup } from '../../../schema/groups/groups.js';
import { advanceTalks } from '../../../schema/groups/talk-progress.js';
import { enqueueTalk } from '../../../schema/groups/talks.js';
import { defaultLimits } from '../../../schema/db/wait-limits.js';
import { waitFor } from '../../../stack/waiting.js';
import { beginTurn, endTurn, say, speech } from '../../server/play-turn.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';
import { holdThread } from '../../support/faults/silent-holder.js';
import { anAgent } from '../fixtures.js';

const withinMs = 60_000;

describe('two groups that share agents', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    const setting = openDatabase(testDatabase.adminUrl, { connections: 1 });
    // PostgreSQL does not resolve a deadlock here: those that wait too long fail.
    const name = new URL(testDatabase.url).pathname.slice(1);
    await sql.raw(`alter database ${name} set deadlock_timeout = '100s'`).execute(setting.db);
    await setting.close();
    database = openDatabase(testDatabase.url, { limits: { ...defaultLimits, lockMs: 6_000 } });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  /** A group whose talk ends when it is moved on: then all others hear what the first agent said. */
  const talking = async (speaker: Agent, ...listeners: Agent[]): Promise<string> => {
    const { db } = database;
    const group = await createGroup(db, {
      managerType: 'round_robin',
      agentIds: [speaker, ...listeners].map(({ id }) => id),
      description: 'They talk.',
      managerConfig: { maxTurns: 1 },
    });
    const body = { kind: 'user' as const, content: [{ type: 'text' as const, text: 'Hello.' }] };
    await enqueueTalk(db, {
      id: `talk-${randomUUID()}`,
      groupId: group.id,
      messages: [{ body, senderId: null, otid: null }],
      options: {},
      requestKey: null,
      requestHash: null,
      joinWithinMs: 0,
    });
    const { awaited } = await advanceTalks(db, group.id, withinMs);
    await beginTurn(db, awaited!.turnId);
    await say(db, awaited!.turnId, { body: speech('Hi.') });
    await endTurn(db, awaited!.turnId);
    return group.id;
  };

  const untilWaiting = (count: number) =>
    waitFor(
      async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
        return rows[0]?.count === count || undefined;
      },
      { timeoutMs: 60_000, everyMs: 10 },
    );

  it('move their talks on at the same time, though they list the agents in different orders [waits.talks]', async () => {
    const { db } = database;
    const [one, two, ...shared] = await Promise.all([1, 2, 3, 4].map(() => anAgent(db)));
    const [low, high] = shared.sort((a, b) => (a.id < b.id ? -1 : 1));
    const first = await talking(one!, low!, high!);
    const second = await talking(two!, high!, low!);
    const holder = await holdThread(testDatabase.url, high!.id);

    const moving = [advanceTalks(db, second, withinMs)];
    await untilWaiting(1);
    moving.push(advanceTalks(db, first, withinMs));
    await untilWaiting(2);
    await holder.release();

    const standings = await Promise.all(moving);
    expect(standings.map(({ awaited, wake }) => [awaited, [...wake].sort()])).toEqual(
      Array(2).fill([null, [low!.id, high!.id]]),
    );
  });
});
