import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../../schema/db/database.js';
import { countUnseen, messagesWithoutEmbedding } from '../../../schema/threads/recall.js';
import { waitFor } from '../../../stack/waiting.js';
import { placePast } from '../../support/agents/past.js';
import { readTestState } from '../../support/run/test-state.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';
import { type PlanRecord, readingsOf, recordPlans } from '../../support/scale/plans.js';
import { anAgent } from '../fixtures.js';

const messages = 1_000;
const model = 'test/embedding';

describe('[recall.no-statistics] messages that were just imported', () => {
  let database: TestDatabase;
  let admin: Database;
  let programs: Database;
  let record: PlanRecord;
  let agentId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = openDatabase(database.adminUrl, { connections: 1 });
    record = await recordPlans(admin.db, join(readTestState().dataDirectory, 'postgres', 'postgres.log'));
    // Only connections that are opened after that have their plans recorded.
    programs = openDatabase(database.url, { connections: 1 });
    agentId = (await anAgent(programs.db)).id;
    await placePast(
      programs.db,
      agentId,
      Array.from({ length: messages }, (_, index) => `Message ${index}.`),
    );
    record.read();
  });

  afterAll(async () => {
    await programs.close();
    await admin.close();
    await database.drop();
  });

  /** The most rows of messages that one statement read. */
  async function mostRowsRead(): Promise<number> {
    const plans = await waitFor(
      () => {
        const waiting = record.read().filter(({ statement }) => statement.includes('with waiting'));
        return Promise.resolve(waiting.length > 0 ? waiting : undefined);
      },
      { timeoutMs: 30_000 },
    );
    return Math.max(...readingsOf(plans ?? []).map(({ rows }) => rows));
  }

  it('are gathered in one pass when a batch is taken', async () => {
    const batch = await messagesWithoutEmbedding(programs.db, { agentId, model, limit: 8 });

    expect(batch.map(({ text }) => text)).toEqual(
      [999, 998, 997, 996, 995, 994, 993, 992].map((n) => `Message ${n}.`),
    );
    expect(await mostRowsRead()).toBeLessThanOrEqual(2 * messages);
  });

  it('are gathered in one pass when they are counted', async () => {
    const count = await countUnseen(programs.db, { agentId, threadId: agentId, model, limit: 10_000 });

    expect(count).toBe(0);
    expect(await mostRowsRead()).toBeLessThanOrEqual(2 * messages);
  });
});
