import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { listTurns } from '../../../schema/turns/turns.js';
import type { WaitLimits } from '../../../schema/db/wait-limits.js';
import { waitFor } from '../../../stack/waiting.js';
import { createTestDatabase, type TestDatabase } from '../../support/runtime/postgres.js';
import { holdThread } from '../../support/faults/silent-holder.js';
import { beginTurn, endTurn, say, speech } from '../play-turn.js';
import { type Answer, startTestServer, stainlessHeaders, type TestServer } from '../test-server.js';

const limits: WaitLimits = {
  connectMs: 4_000,
  statementMs: 6_000,
  lockMs: 1_500,
  idleTransactionMs: 1_000,
};

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];

describe('a server with a locked thread', () => {
  let testDatabase: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    server = await startTestServer({ databaseUrl: testDatabase.url, limits });
  });
  afterAll(async () => {
    await server.close();
    await testDatabase.drop();
  });

  const post = (agentId: string, input: string): Promise<Answer> =>
    server.call('POST', `/v1/agents/${agentId}/messages/async`, {
      body: { input },
      headers: stainlessHeaders,
    });

  it('answers requests for other agents at once, and accepts the waiting ones after the release [waits.one-row]', async () => {
    const [busy, other] = [await server.anAgent(), await server.anAgent()];
    const holder = await holdThread(testDatabase.url, busy.id);
    let answered = 0;
    const waiting = Array.from({ length: 20 }, (_, index) =>
      post(busy.id, `Message ${index}`).finally(() => (answered += 1)),
    );

    const others = await Promise.all([
      post(other.id, 'Hello'),
      server.call('GET', `/v1/agents/${busy.id}`),
      server.call('GET', `/v1/agents/${busy.id}/messages`),
    ]);
    const answeredMeanwhile = answered;
    await holder.release();

    expect([statusesOf(others), answeredMeanwhile]).toEqual([[200], 0]);
    expect(statusesOf(await Promise.all(waiting))).toEqual([200]);
    expect(await listTurns(server.db, { agentIds: [busy.id] }, { limit: 50 })).toHaveLength(20);
  });

  it('answers 503 with Retry-After and accepts nothing [waits.refused-in-time]', async () => {
    const agent = await server.anAgent();
    const holder = await holdThread(testDatabase.url, agent.id);

    const { status, headers, body } = await post(agent.id, 'Hello');

    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toMatchObject({
      detail: expect.stringMatching(/^The database was too busy .* not accepted/),
    });
    const asModel = { model: agent.id, messages: [{ role: 'user', content: 'Hello' }] };
    const completion = await server.call('POST', '/v1/chat/completions', { body: asModel });
    expect([completion.status, completion.headers['retry-after']]).toEqual([503, '1']);
    await holder.release();
    expect(await listTurns(server.db, { agentIds: [agent.id] }, {})).toEqual([]);
    expect(await post(agent.id, 'Hello')).toMatchObject({ status: 200 });
  });
});

describe('a server whose tables change while it runs [waits.new-plan]', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const tables = ['agents', 'threads', 'turns', 'deliveries', 'messages', 'steps', 'turn_events'];

  it('answers waiting requests and new ones', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/messages`;
    const round = async (change: () => Promise<void>): Promise<readonly Answer[]> => {
      const waiting = Array.from({ length: 3 }, (_, index) =>
        server.call('POST', url, { body: { input: `Hello ${index}` } }),
      );
      const turns = await waitFor(
        async () => {
          const found = await listTurns(server.db, { agentIds: [agent.id], states: ['created'] }, {});
          return found.length === 3 ? found : undefined;
        },
        { timeoutMs: 60_000, everyMs: 20 },
      );
      await change();
      for (const { id } of turns ?? []) {
        await beginTurn(server.db, id);
        await say(server.db, id, { body: speech('Hi.') });
        await endTurn(server.db, id);
      }
      return [...(await Promise.all(waiting)), await server.call('GET', url)];
    };
    // The first round prepares all statements.
    await round(() => Promise.resolve());

    const answers = await round(async () => {
      for (const table of tables) {
        await sql.raw(`alter table ${table} add column later integer`).execute(server.db);
      }
    });

    expect(statusesOf(answers)).toEqual([200]);
  });
});
