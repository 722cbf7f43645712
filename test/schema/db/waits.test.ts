import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { claimDelivery } from '../../../schema/turns/claims.js';
import {
  allowTime,
  type Database,
  inSession,
  inTransaction,
  openDatabase,
} from '../../../schema/db/database.js';
import { enqueueTurn } from '../../../schema/turns/deliveries.js';
import { isOutage } from '../../../schema/db/outages.js';
import { settleTurn } from '../../../schema/turns/settling.js';
import { defaultLimits, type WaitLimits } from '../../../schema/db/wait-limits.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';
import { holdThread } from '../../support/faults/silent-holder.js';
import { anAgent, rejection } from '../fixtures.js';

const second = 1_000;

/** A tenth of the defaults, roughly. */
const limits: WaitLimits = {
  connectMs: 3 * second,
  statementMs: 4 * second,
  lockMs: 1.5 * second,
  idleTransactionMs: second,
};

describe('a connection', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url, { limits });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const aTurn = (threadId: string) =>
    enqueueTurn(database.db, {
      turnId: `run-${randomUUID()}`,
      deliveryId: `delivery-${randomUUID()}`,
      threadId,
      kind: 'message',
      messages: [],
      options: {},
      requestKey: null,
      requestHash: null,
      joinWithinMs: 0,
      steer: false,
    });

  it('ends a silent transaction before those that wait for it give up, within 15 s [waits.silent-holder]', () => {
    const { lockMs, idleTransactionMs, statementMs } = defaultLimits;
    expect(idleTransactionMs).toBeLessThan(lockMs);
    expect(lockMs).toBeLessThanOrEqual(15 * second);
    expect(lockMs).toBeLessThan(statementMs);
  });

  it('that holds a thread and stays silent makes no other one fail [waits.silent-holder]', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const { turn } = await aTurn(agent.id);
    const holder = await holdThread(testDatabase.url, agent.id, limits);

    const [sent, cancelled, taken] = await Promise.all([
      aTurn(agent.id),
      settleTurn(db, { turnId: turn.id, stopReason: 'cancelled' }),
      claimDelivery(db, { threadId: agent.id, executionId: 'one', ordinal: 0 }),
    ]);

    expect([sent.turn.state, cancelled, taken?.agentId]).toEqual(['created', true, agent.id]);
    await holder.release();
  });

  it('waits for a row within its limit, and then fails as an outage [waits.refused-in-time]', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const holder = await holdThread(testDatabase.url, agent.id);

    const errors = await Promise.all(Array.from({ length: 5 }, () => rejection(aTurn(agent.id))));

    expect(errors.map((error) => (error as { code?: unknown }).code)).toEqual(Array(5).fill('55P03'));
    expect(errors.every(isOutage)).toBe(true);
    await holder.release();
    expect((await aTurn(agent.id)).turn.state).toBe('created');
  });

  it('is awaited within a limit [waits.pool]', async () => {
    const small = openDatabase(testDatabase.url, {
      connections: 1,
      limits: { ...limits, connectMs: second },
    });
    const taken = sql`select pg_sleep(3)`.execute(small.db);

    const error = await rejection(sql`select 1`.execute(small.db));

    expect([isOutage(error), String(error)]).toEqual([true, expect.stringMatching(/timeout exceeded/)]);
    await taken;
    await small.close();
  });

  it('ends a statement that takes too long, unless it is allowed more time [waits.long-work]', async () => {
    const hasty = openDatabase(testDatabase.url, { limits: { ...limits, statementMs: 200 } });
    const sleep = sql`select pg_sleep(0.6)`;

    expect(await rejection(sleep.execute(hasty.db))).toMatchObject({ code: '57014' });
    expect(await rejection(inTransaction(hasty.db, (tx) => sleep.execute(tx)))).toMatchObject({
      code: '57014',
    });
    await inTransaction(hasty.db, async (tx) => {
      await allowTime(tx);
      await sleep.execute(tx);
    });
    await inSession(hasty.db, (session) => sleep.execute(session));
    await hasty.close();
  });
});
