import { once } from 'node:events';
import { createServer } from 'node:net';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import { migrateToLatest } from '../../../schema/db/migrate-to-latest.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { type RunningPostgres, startPostgres } from '../../../stack/postgres.js';
import { waitFor } from '../../../stack/waiting.js';
import { makeTemporaryDirectory } from '../../support/runtime/temporary.js';
import { beginTurn, endTurn, say, speech } from '../play-turn.js';
import { startTestServer, type TestServer } from '../test-server.js';

/** Failed connections before the database returns. Waiting requests try at most twice a second. */
const triesInVain = 15;

const begin = (dataDir: string): Promise<RunningPostgres> =>
  startPostgres({ dataDir, durable: false, onProgress: () => undefined });

/** Listens on the database's port until it has cut this many connections. */
async function cutConnections(port: number, count: number): Promise<void> {
  let cut = 0;
  const door = createServer((socket) => {
    cut += 1;
    socket.destroy();
  });
  door.listen(port, '127.0.0.1');
  await once(door, 'listening');
  const enough = await waitFor(() => cut >= count || undefined, { timeoutMs: 90_000, everyMs: 20 });
  await new Promise((resolve) => door.close(resolve));
  if (enough !== true) throw new Error(`only ${cut} connections were tried`);
}

/** A fetch for the client that records each refusal. */
function noting(refused: unknown[]): typeof fetch {
  return async (...args) => {
    const response = await fetch(...args);
    if (response.status === 200) return response;
    const { status, headers } = response;
    const { detail } = (await response.clone().json()) as { detail: string };
    refused.push({ status, detail, retry: headers.get('x-should-retry'), after: headers.get('retry-after') });
    return response;
  };
}

describe('a restart of the database', () => {
  const directory = makeTemporaryDirectory('database-restart');
  const dataDir = join(directory, 'postgres');
  let postgres: RunningPostgres;
  let server: TestServer;

  beforeAll(async () => {
    postgres = await begin(dataDir);
    await migrateToLatest(postgres.url);
    server = await startTestServer({ databaseUrl: postgres.url });
  });

  afterAll(async () => {
    await server.close();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('[rest.health] makes the server unhealthy until the database is back', async () => {
    const health = async () => (await server.call('GET', '/v1/health/')).status;
    expect(await health()).toBe(200);

    await postgres.stop();
    const without = await server.call('GET', '/v1/health/');
    postgres = await begin(dataDir);

    expect(without).toMatchObject({ status: 503, body: { detail: 'The database can’t be reached.' } });
    expect(await health()).toBe(200);
  });

  it('[wire.outage-after-accept] delays accepted requests, waiting and streaming, without failing them', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/messages`;
    const waiting = server.call('POST', url, { body: { input: 'Hello' } });
    const [turn] =
      (await waitFor(
        async () => {
          const found = await listTurns(server.db, { agentIds: [agent.id] }, {});
          return found.length > 0 ? found : undefined;
        },
        { timeoutMs: 90_000, everyMs: 20 },
      )) ?? [];
    const runId = turn!.id;
    await beginTurn(server.db, runId);
    await say(server.db, runId, { body: speech('Before.') });
    const opened = await server.app.inject({
      method: 'POST',
      url: `/v1/runs/${runId}/stream`,
      payload: {},
      payloadAsStream: true,
    });
    const streaming = text(opened.stream());

    await postgres.stop();
    await cutConnections(Number(new URL(postgres.url).port), triesInVain);
    const { url: before } = postgres;
    postgres = await begin(dataDir);
    await say(server.db, runId, { body: speech('After.') });
    await endTurn(server.db, runId);

    expect(postgres.url).toBe(before);
    expect(await waiting).toMatchObject({
      status: 200,
      body: { stop_reason: { stop_reason: 'end_turn' } },
    });
    expect(opened.statusCode).toBe(200);
    const said = [...(await streaming).matchAll(/^data: (\{.*\})$/gm)]
      .map(([, json]) => JSON.parse(json ?? '') as { message_type: string; content?: string })
      .filter(({ message_type: type }) => type !== 'ping' && type !== 'reasoning_message');
    expect(said).toMatchObject([
      { message_type: 'assistant_message', content: 'Before.' },
      { message_type: 'assistant_message', content: 'After.' },
      { message_type: 'stop_reason', stop_reason: 'end_turn' },
      { message_type: 'usage_statistics' },
    ]);
  });

  it('[seeds.outage-before-accept] makes a client retry by itself and start a single turn', async () => {
    const agent = await server.anAgent();
    const refused: unknown[] = [];
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const client = new Letta({ baseURL: url, apiKey: 'none', maxRetries: 20, fetch: noting(refused) });
    await postgres.stop();

    const sending = client.agents.messages.createAsync(agent.id, { input: 'Hello' });
    await waitFor(() => refused.length > 1 || undefined, { timeoutMs: 90_000, everyMs: 20 });
    postgres = await begin(dataDir);
    const run = await sending;

    expect(refused[0]).toEqual({
      status: 503,
      detail: 'The database can’t be reached, so the request was not accepted. Send it again in a moment.',
      retry: 'true',
      after: '1',
    });
    const turns = await listTurns(server.db, { agentIds: [agent.id] }, {});
    expect(turns.map(({ id }) => id)).toEqual([run.id]);
  });
});
