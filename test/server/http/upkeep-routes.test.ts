import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { storeAttempt } from '../../../schema/turns/callbacks.js';
import { wireAgent, type WireAgent } from '../../../server/agents/agents-wire.js';
import { wirePassage } from '../../../server/archives/passages-wire.js';
import { wireRun } from '../../../server/turns/runs-wire.js';
import { beginTurn, endTurn, say, speech } from '../play-turn.js';
import { startTestServer, type TestServer } from '../test-server.js';

const greeting = { messages: [{ role: 'user', content: 'Hello' }] };
const goodKey = 'sk-good';

describe('maintenance over REST', () => {
  let server: TestServer;
  let provider: Awaited<ReturnType<typeof aProvider>>;

  beforeAll(async () => {
    provider = await aProvider();
    server = await startTestServer({
      providers: {
        openai: { baseUrl: provider.url, apiKey: goodKey },
        anthropic: { baseUrl: provider.url, apiKey: 'sk-stale' },
        ollama: { baseUrl: 'http://127.0.0.1:1' },
      },
    });
  });

  afterAll(async () => {
    await server.close();
    provider.close();
  });

  async function aTurn(agentId: string): Promise<string> {
    const url = `/v1/agents/${agentId}/messages/async`;
    const { id } = await server.read(wireRun, 'POST', url, { body: greeting });
    await beginTurn(server.db, id);
    await say(server.db, id, { body: speech('Hi') });
    return id;
  }

  it('[wire.passage-edit] changes a passage in place and finds it only by its new words', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/archival-memory`;
    const created = { text: 'The cat is called Pixel.', tags: ['pets'] };
    const [made] = await server.read(wirePassage.array(), 'POST', url, { body: created });
    const edit = (body: object) => server.call('PATCH', `${url}/${made!.id}`, { body });
    await server.call('POST', url, { body: { text: 'The meeting is on Tuesday at ten.' } });
    const search = async (words: string): Promise<unknown> => {
      const query = new URLSearchParams({ query: words, top_k: '1' });
      return (await server.call('GET', `${url}/search?${query.toString()}`)).body;
    };
    const having = async (part: string) => (await server.call('GET', `${url}?search=${part}`)).body;

    const { body: edited } = await edit({
      id: made!.id,
      text: 'The dog is called Rex.',
      metadata_: { page: 2 },
    });

    expect(edited).toEqual([{ ...made, text: 'The dog is called Rex.', metadata: { page: 2 } }]);
    expect(await having('called')).toEqual(edited);
    expect(await having('Pixel')).toEqual([]);
    expect(await search('name of the dog')).toMatchObject({
      results: [{ id: made!.id, content: 'The dog is called Rex.' }],
    });
    const past = await sql`select words from past_passages where id = ${made!.id}`.execute(server.db);
    expect(past.rows).toEqual([{ words: 'The cat is called Pixel.' }]);
    await edit({ metadata: { page: 3 }, created_at: '2020-01-01T00:00:00Z' });
    expect(await having('Rex')).toMatchObject([
      { text: 'The dog is called Rex.', metadata: { page: 3 }, created_at: '2020-01-01T00:00:00.000Z' },
    ]);
  });

  it.each([
    [
      'an embedding from the caller',
      { embedding: [1] },
      422,
      /body.embedding: is not taken: the server embeds/,
    ],
    ['the deletion mark', { is_deleted: true }, 422, /body.is_deleted: can’t be set: delete the passage/],
    ['no text', { text: '' }, 422, /body.text/],
  ])('[wire.passage-edit] refuses %s with the reason', async (_what, body, status, detail) => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/archival-memory/passage-${randomUUID()}`;

    expect(await server.call('PATCH', url, { body })).toMatchObject({
      status,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it('[wire.passage-edit] refuses to change another agent’s passage or to make a pinned one too long', async () => {
    const [agent, other] = [await server.anAgent(), await server.anAgent()];
    const url = `/v1/agents/${agent.id}/archival-memory`;
    const [made] = await server.read(wirePassage.array(), 'POST', url, { body: { text: 'Mina sails.' } });
    await server.call('PUT', `${url}/${made!.id}/pin`);
    const theirs = `/v1/agents/${other.id}/archival-memory/${made!.id}`;
    const long = { text: 'x'.repeat(10_001) };

    expect(await server.call('PATCH', theirs, { body: { text: 'Mine.' } })).toMatchObject({ status: 404 });
    expect(await server.call('PATCH', `${url}/${made!.id}`, { body: long })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/^The passage has 10001 characters/) },
    });
    expect((await server.call('GET', url)).body).toMatchObject([{ text: 'Mina sails.' }]);
  });

  it('[wire.run-delete] deletes an ended run with its steps but keeps its messages', async () => {
    const agent = await server.anAgent();
    const runId = await aTurn(agent.id);
    const running = await server.call('DELETE', `/v1/runs/${runId}`);
    await endTurn(server.db, runId);
    const said = (await server.call('GET', `/v1/agents/${agent.id}/messages`)).body;

    const gone = await server.call('DELETE', `/v1/runs/${runId}`);

    expect(running).toMatchObject({
      status: 409,
      body: { detail: `Run ${runId} has not ended. Cancel it, or wait for its end, and delete it then.` },
    });
    expect(gone).toMatchObject({ status: 200, body: { id: runId, status: 'completed' } });
    for (const path of ['', '/steps', '/messages', '/usage']) {
      expect(await server.call('GET', `/v1/runs/${runId}${path}`)).toMatchObject({ status: 404 });
    }
    expect(await server.call('DELETE', `/v1/runs/${runId}`)).toMatchObject({ status: 404 });
    expect((await server.call('GET', `/v1/runs?agent_id=${agent.id}`)).body).toEqual([]);
    expect(said).toHaveLength(4);
    // The first message is the prompt, which shows the time.
    const left = z
      .array(z.unknown())
      .parse((await server.call('GET', `/v1/agents/${agent.id}/messages`)).body);
    expect(left.slice(1)).toEqual(z.array(z.unknown()).parse(said).slice(1));
  });

  it('[wire.run-delete] keeps a run until its callback is done', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/messages/async`;
    const body = { ...greeting, callback_url: 'https://example.com/done' };
    const { id } = await server.read(wireRun, 'POST', url, { body });
    await beginTurn(server.db, id);
    await endTurn(server.db, id);

    const waiting = await server.call('DELETE', `/v1/runs/${id}`);
    await storeAttempt(server.db, id, { state: 'done', statusCode: 200, error: null });
    const reported = await server.call('DELETE', `/v1/runs/${id}`);

    const detail = `Run ${id} has not been reported to its callback_url yet. Delete it after that, at the latest in a day.`;
    expect(waiting).toMatchObject({ status: 409, body: { detail } });
    expect(reported).toMatchObject({ status: 200, body: { id } });
  });

  it('[wire.agent-search] finds agents by several conditions, page by page, in the order of their last run', async () => {
    const word = randomUUID().slice(0, 8);
    const idle = await server.anAgent({ name: `${word} idle`, tags: [word] });
    const done = await server.anAgent({ name: `${word} done`, tags: [word, 'second'] });
    const late = await server.anAgent({ name: `${word} late`, tags: [word, 'second'] });
    for (const agent of [late, done]) await endTurn(server.db, await aTurn(agent.id));
    const found = z.object({ agents: z.array(wireAgent), nextCursor: z.string().nullable() });
    const all = { field: 'tags', operator: 'contains', value: [word] };
    const search = async (body: object): Promise<readonly (string | null)[]> => {
      const { agents, nextCursor } = await server.read(found, 'POST', '/v1/agents/search', { body });
      return [...agents.map(({ name }) => name.slice(word.length + 1)), nextCursor];
    };
    const second = { ...all, value: ['second'] };

    expect(await search({ search: [all] })).toEqual(['late', 'done', 'idle', null]);
    expect(await search({ search: [all, second], ascending: true })).toEqual(['done', 'late', null]);
    expect(await search({ search: [{ field: 'name', operator: 'eq', value: idle.name }] })).toEqual([
      'idle',
      null,
    ]);
    expect(await search({ search: [all], sortBy: 'last_run_completion' })).toEqual([
      'done',
      'late',
      'idle',
      null,
    ]);
    const page = { search: [all], limit: 2 };
    expect(await search(page)).toEqual(['late', 'done', done.id]);
    expect(await search({ ...page, after: done.id })).toEqual(['idle', null]);
    const listed = await server.read(
      wireAgent.array(),
      'GET',
      `/v1/agents?tags=${word}&order_by=last_run_completion&limit=2&after=${done.id}`,
    );
    expect(listed.map((agent: WireAgent) => agent.id)).toEqual([late.id, idle.id]);
  });

  it.each([
    [{ field: 'version', value: 'a:1' }, /agents have no versions/],
    [{ field: 'model', operator: 'eq', value: 'x' }, /body\.search\.0\.field/],
  ])('[wire.agent-search] refuses the condition %o', async (condition, detail) => {
    expect(await server.call('POST', '/v1/agents/search', { body: { search: [condition] } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it('[wire.agent-search] refuses two conditions with the same field and operator', async () => {
    const names = ['a', 'b'].map((value) => ({ field: 'name', operator: 'contains', value }));

    expect(await server.call('POST', '/v1/agents/search', { body: { search: names } })).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringMatching(/must not have two conditions with the same field and operator/),
      },
    });
  });

  it.each([
    ['the configured key', 'openai', undefined, 200, /^Valid api key for provider_type: openai$/],
    ['an expired key', 'anthropic', undefined, 401, /refused the key \(401\): check ANTHROPIC_API_KEY/],
    ['the caller’s own key', 'anthropic', goodKey, 200, /^Valid api key for provider_type: anthropic$/],
    [
      'the caller’s own wrong key',
      'openai',
      'sk-bad',
      401,
      /refused the key \(401\): check the header x-api-key/,
    ],
    ['an unreachable provider', 'ollama', undefined, 503, /cannot be reached/],
    [
      'a provider that is not configured',
      'gemini',
      undefined,
      404,
      /Provider gemini needs a key: set GEMINI_API_KEY/,
    ],
    ['an unknown provider', 'nowhere', undefined, 404, /the providers are openai, anthropic/],
    ['a key without a provider', undefined, goodKey, 422, /is needed with the header x-api-key/],
    ['all configured providers', undefined, undefined, 401, /check ANTHROPIC_API_KEY/],
  ])('[wire.provider-check] checks %s', async (_what, type, key, status, sentence) => {
    const query = type === undefined ? '' : `?provider_type=${type}`;
    const headers = key === undefined ? {} : { 'x-api-key': key };

    const answer = await server.call('GET', `/v1/providers/check${query}`, { headers });

    expect(answer.status).toBe(status);
    const { message, detail } = answer.body as { message?: string; detail?: string };
    expect(message ?? detail).toMatch(sentence);
    expect(JSON.stringify(answer)).not.toContain('sk-');
  });

  it('[wire.provider-check] answers 404 when no provider is configured', async () => {
    const bare = await startTestServer({ providers: {} });
    try {
      expect(await bare.call('GET', '/v1/providers/check')).toMatchObject({
        status: 404,
        body: { detail: 'No provider is configured. Set the key of one, such as OPENAI_API_KEY.' },
      });
    } finally {
      await bare.close();
    }
  });
});

/** A provider that lists its models to callers with its key. */
async function aProvider() {
  const server = createServer(({ headers }, response) => {
    const isRight = headers['x-api-key'] === goodKey || headers.authorization === `Bearer ${goodKey}`;
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRight ? { object: 'list', data: [] } : { error: { message: 'No.' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}
