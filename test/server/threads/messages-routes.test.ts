import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import type { TurnEvent } from '../../../core/turns/events.js';
import { pruneEvents } from '../../../schema/turns/events.js';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { lettaResponse } from '../../../server/turns/letta-response-wire.js';
import { wireRun } from '../../../server/turns/runs-wire.js';
import { waitFor } from '../../../stack/waiting.js';
import { answerId, beginTurn, endTurn, logEvents, say, speech } from '../play-turn.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

const greeting = { messages: [{ role: 'user', content: 'Hello' }] };

/** A chunk of a stream with the fields that tests compare. */
const chunk = z.looseObject({ message_type: z.string(), seq_id: z.number().optional() });

interface Sse {
  readonly event: string | undefined;
  readonly data: z.infer<typeof chunk>;
}

/** Represents the line that ends a stream. */
const done = { message_type: '[DONE]' };

function parseSse(text: string): Sse[] {
  const events: Sse[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) =>
      events.push({ event, data: data === '[DONE]' ? done : chunk.parse(JSON.parse(data)) }),
  });
  parser.feed(text);
  return events;
}

describe('messages over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ settings: { keepAliveMs: 50 } });
  });

  afterAll(() => server.close());

  async function anAgent(): Promise<string> {
    return (await server.anAgent({ name: 'Sam' })).id;
  }

  async function firstTurn(agentId: string, count = 1): Promise<string> {
    const turns = await waitFor(
      async () => {
        const found = await listTurns(server.db, { agentIds: [agentId] }, {});
        return found.length >= count ? found : undefined;
      },
      { timeoutMs: 90_000, everyMs: 10 },
    );
    return turns![count - 1]!.id;
  }

  /** Answers the agent's turn with one message, as a worker would. */
  async function answer(agentId: string, text: string): Promise<string> {
    const turnId = await firstTurn(agentId);
    await beginTurn(server.db, turnId);
    await say(server.db, turnId, { body: speech(text) });
    await endTurn(server.db, turnId);
    return turnId;
  }

  it('[rest.messages] waits for the end of the turn and returns what was said', async () => {
    const agentId = await anAgent();
    const waiting = server.read(lettaResponse, 'POST', `/v1/agents/${agentId}/messages`, { body: greeting });
    const runId = await answer(agentId, 'Hi Bob');
    const body = await waiting;

    expect(body).toMatchObject({
      messages: [
        { message_type: 'reasoning_message', reasoning: 'I answer.' },
        { message_type: 'assistant_message', content: 'Hi Bob', run_id: runId },
      ],
      stop_reason: { message_type: 'stop_reason', stop_reason: 'end_turn' },
      usage: { message_type: 'usage_statistics', run_ids: [runId] },
    });
    expect(server.rung).toContain(agentId);
    expect((await server.call('GET', `/v1/agents/${agentId}/messages`)).body).toMatchObject([
      { message_type: 'system_message' },
      { message_type: 'user_message', content: 'Hello' },
      { message_type: 'reasoning_message' },
      { message_type: 'assistant_message' },
    ]);
    expect((await server.call('GET', `/v1/runs/${runId}/messages`)).body).toEqual(body.messages);
  });

  it('[rest.never-5xx] [rest.runs] answers 200 with a stop reason and the error when the turn fails', async () => {
    const agentId = await anAgent();
    const waiting = server.call('POST', `/v1/agents/${agentId}/messages`, { body: greeting });
    const runId = await firstTurn(agentId);
    await endTurn(server.db, runId, 'llm_api_error', {
      type: 'Model.Unauthorized',
      message: 'Check the key.',
    });
    const { status, body } = await waiting;

    expect(status).toBe(200);
    expect(body).toMatchObject({
      messages: [],
      stop_reason: { stop_reason: 'llm_api_error' },
      error: { type: 'Model.Unauthorized', message: 'Check the key.', run_id: runId },
    });
    expect((await server.call('GET', `/v1/runs/${runId}`)).body).toMatchObject({
      status: 'failed',
      stop_reason: 'llm_api_error',
      metadata: { error: { type: 'Model.Unauthorized' } },
    });
  });

  it('[rest.stream] streams in Letta’s format: whole messages, stop reason, usage, done', async () => {
    const agentId = await anAgent();
    const waiting = server.app.inject({
      method: 'POST',
      url: `/v1/agents/${agentId}/messages/stream`,
      headers: fernHeaders,
      payload: greeting,
    });
    await answer(agentId, 'Hi');
    const response = await waiting;

    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    // Older clients would take a ping for a message, so comments keep the connection alive.
    expect(response.body.replaceAll(': keep-alive\n\n', '')).toMatch(/^(data: .*\n\n)+$/);
    expect(parseSse(response.body).map(({ data }) => data.message_type)).toEqual([
      'reasoning_message',
      'assistant_message',
      'stop_reason',
      'usage_statistics',
      '[DONE]',
    ]);
  });

  it('[rest.stream] sends 1.x clients the run at once, then tokens and errors', async () => {
    const agentId = await anAgent();
    const waiting = server.app.inject({
      method: 'POST',
      url: `/v1/agents/${agentId}/messages`,
      headers: stainlessHeaders,
      payload: { ...greeting, streaming: true, stream_tokens: true },
    });
    const turnId = await firstTurn(agentId);
    const messageId = answerId();
    await beginTurn(server.db, turnId);
    for (const text of ['Hi ', 'Bob']) {
      await logEvents(server.db, turnId, {
        kind: 'delta',
        stepId: 'step-1',
        attempt: 1,
        messageId,
        delta: {
          kind: 'tool_call',
          index: 0,
          id: 'c1',
          name: 'send_message',
          arguments: text === 'Hi ' ? '{"message":"Hi ' : 'Bob"}',
        },
      });
    }
    await say(server.db, turnId, { id: messageId, body: speech('Hi Bob'), streamed: true });
    await endTurn(server.db, turnId, 'error', { type: 'abandoned', message: 'Resumed too often.' });
    const events = parseSse((await waiting).body);

    expect(events[0]?.data).toMatchObject({ message_type: 'ping', run_id: turnId });
    const rest = events.filter(({ data }) => data.message_type !== 'ping');
    expect(rest).toMatchObject([
      { data: { message_type: 'assistant_message', content: 'Hi ', id: messageId } },
      { data: { message_type: 'assistant_message', content: 'Bob', id: messageId } },
      { data: { message_type: 'stop_reason', stop_reason: 'error' } },
      {
        event: 'error',
        data: { message_type: 'error_message', run_id: turnId, message: 'Resumed too often.' },
      },
      { data: done },
    ]);
  });

  it('[rest.async] [rest.resume-stream] returns a run at once for an asynchronous send, and resumes its stream anywhere', async () => {
    const agentId = await anAgent();
    const run = await server.read(wireRun, 'POST', `/v1/agents/${agentId}/messages/async`, {
      body: greeting,
    });
    expect(run).toMatchObject({
      status: 'created',
      background: true,
      agent_id: agentId,
      conversation_id: null,
    });
    expect((await server.call('GET', `/v1/runs/active?agent_id=${agentId}`)).body).toMatchObject([
      { id: run.id },
    ]);
    await answer(agentId, 'Hi');

    const stream = async (startingAfter: number): Promise<Sse['data'][]> => {
      const { body } = await server.app.inject({
        method: 'POST',
        url: `/v1/runs/${run.id}/stream`,
        payload: { starting_after: startingAfter },
      });
      return parseSse(body).map(({ data }) => data);
    };
    const all = await stream(0);

    expect(all.map((data) => data.message_type)).toHaveLength(5);
    const names = (chunks: Sse['data'][]): string[] =>
      chunks.map((data) => `${data.message_type} ${data.seq_id ?? ''}`);
    for (const [index, { seq_id: seen = 0 }] of all.slice(0, -1).entries()) {
      expect(names(await stream(seen))).toEqual(names(all.slice(index + 1)));
    }
    expect((await server.call('GET', `/v1/runs/${run.id}`)).body).toMatchObject({
      status: 'completed',
      stop_reason: 'end_turn',
      completed_at: expect.any(String),
    });
  });

  it('[wire.expired-fragments] refuses to resume a stream whose fragments have expired', async () => {
    const agentId = await anAgent();
    const waiting = server.app.inject({
      method: 'POST',
      url: `/v1/agents/${agentId}/messages/stream`,
      headers: stainlessHeaders,
      payload: { ...greeting, stream_tokens: true },
    });
    const turnId = await firstTurn(agentId);
    const messageId = answerId();
    await beginTurn(server.db, turnId);
    const call = { kind: 'tool_call', index: 0, id: 'c1', name: 'send_message' } as const;
    for (const text of ['{"message":"Hi', ' Bob"}']) {
      const delta = { ...call, arguments: text };
      await logEvents(server.db, turnId, { kind: 'delta', stepId: 'step-1', attempt: 1, messageId, delta });
    }
    await say(server.db, turnId, { id: messageId, body: speech('Hi Bob'), streamed: true });
    await endTurn(server.db, turnId);
    const first = parseSse((await waiting).body).find(
      ({ data }) => data.message_type === 'assistant_message',
    );
    const resume = (startingAfter: number, of = `runs/${turnId}`) =>
      server.app.inject({
        method: 'POST',
        url: `/v1/${of}/stream`,
        headers: stainlessHeaders,
        payload: { run_id: turnId, agent_id: agentId, starting_after: startingAfter, include_pings: false },
      });
    const resumed = await resume(first?.data.seq_id ?? NaN);
    const later = new Date(Date.now() + 60_000);
    expect(await pruneEvents(server.db, later)).toBeGreaterThan(0);
    const expired = await resume(first?.data.seq_id ?? NaN);
    const inConversation = await resume(first?.data.seq_id ?? NaN, 'conversations/default');
    const whole = await resume(0);

    expect(parseSse(resumed.body)[0]?.data).toMatchObject({ content: ' Bob' });
    expect({ status: expired.statusCode, body: expired.json<unknown>() }).toMatchObject({
      status: 410,
      body: { detail: expect.stringContaining(`GET /v1/runs/${turnId}/messages`) },
    });
    expect(inConversation.statusCode).toBe(410);
    expect(inConversation.json<unknown>()).toEqual(expired.json<unknown>());
    expect(parseSse(whole.body).map(({ data }) => data)).toMatchObject([
      { message_type: 'reasoning_message' },
      { message_type: 'assistant_message', content: 'Hi Bob' },
      { message_type: 'stop_reason' },
      { message_type: 'usage_statistics' },
      done,
    ]);
  });

  it.each([
    ['the same idempotency key', { 'idempotency-key': 'k1' }, greeting],
    ['the same otids', {}, { messages: [{ role: 'user', content: 'Hello', otid: 'o1' }] }],
  ])(
    '[turn.idempotent-send] begins one turn for a request that is repeated with %s',
    async (_what, headers, body) => {
      const agentId = await anAgent();
      const url = `/v1/agents/${agentId}/messages/async`;

      const first = await server.read(wireRun, 'POST', url, { headers, body });
      const second = await server.read(wireRun, 'POST', url, { headers, body });

      expect(second.id).toBe(first.id);
    },
  );

  it('[rest.joined-retry] joins a 1.x client’s retry to the turn that it began, and no other request', async () => {
    const agentId = await anAgent();
    const url = `/v1/agents/${agentId}/messages/async`;
    const post = async (retryCount: string, body: object): Promise<string> =>
      (
        await server.read(wireRun, 'POST', url, {
          headers: { ...stainlessHeaders, 'x-stainless-retry-count': retryCount },
          body,
        })
      ).id;

    const first = await post('0', greeting);
    expect(await post('1', greeting)).toBe(first);
    expect(await post('2', greeting)).toBe(first);
    expect(await post('0', greeting)).not.toBe(first);
    expect(await post('1', { messages: [{ role: 'user', content: 'Other' }] })).not.toBe(first);
  });

  it('[tools.call-back] refuses a running tool that would wait for its own agent', async () => {
    const agentId = await anAgent();
    const url = `/v1/agents/${agentId}/messages`;
    const { id: turnId } = await server.read(wireRun, 'POST', `${url}/async`, { body: greeting });
    const calling = { agentId, turnId, stepId: null, toolCallId: null, effectId: null };
    const headers = { 'x-perdure-tool-token': await issueToolToken(server.db, calling, 60_000) };
    const refused = {
      status: 409,
      body: {
        detail: expect.stringMatching(/^The agent waits for the tool .* \(agents\.messages\.create_async\)/),
      },
      headers: { 'x-should-retry': 'false' },
    };

    expect(await server.call('POST', url, { headers, body: greeting })).toMatchObject(refused);
    expect(await server.call('POST', `${url}/stream`, { headers, body: greeting })).toMatchObject(refused);
    expect((await server.call('POST', `${url}/async`, { headers, body: greeting })).status).toBe(200);
  });

  it('[rest.async] cancels the active run and answers 409 when there is none', async () => {
    const agentId = await anAgent();
    const url = `/v1/agents/${agentId}/messages`;
    const run = await server.read(wireRun, 'POST', `${url}/async`, { body: greeting });

    const cancelled = await server.call('POST', `${url}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { [run.id]: 'cancelled' } });
    expect((await server.call('GET', `/v1/runs/${run.id}`)).body).toMatchObject({
      status: 'cancelled',
    });
    expect(await server.call('POST', `${url}/cancel`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/No active runs/) },
      headers: { 'x-should-retry': 'false' },
    });
  });

  it('[rest.deleted-agent] purges a deleted agent at once if nothing runs, but keeps its blocks', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Bob' }] });
    await server.call('DELETE', `/v1/agents/${agent.id}`);
    const rows = await server.db.selectFrom('agents').select('id').where('id', '=', agent.id).execute();

    expect(rows).toEqual([]);
    expect((await server.call('GET', `/v1/blocks/${agent.blocks[0]!.id}`)).status).toBe(200);
  });

  it('[rest.deleted-agent] cancels a deleted agent’s turns', async () => {
    const agentId = await anAgent();
    const run = await server.read(wireRun, 'POST', `/v1/agents/${agentId}/messages/async`, {
      body: greeting,
    });
    await server.call('DELETE', `/v1/agents/${agentId}`);

    expect((await server.call('GET', `/v1/runs/${run.id}`)).body).toMatchObject({
      status: 'cancelled',
    });
  });

  it.each([
    ['nothing', {}, {}, /exactly one of `messages` and `input`/],
    ['both', { ...greeting, input: 'Hi' }, {}, /exactly one/],
    ['no message', { messages: [] }, {}, /at least one message/],
    ['an unknown role', { messages: [{ role: 'bot', content: 'x' }] }, {}, /body\.messages\.0\.role/],
    [
      'content of a wrong type',
      { messages: [{ role: 'user', content: 5 }] },
      {},
      /body\.messages\.0\.content/,
    ],
    ['streaming from an older client', { ...greeting, streaming: true }, {}, /version 1 or newer/],
    [
      'tokens without a stream',
      { ...greeting, stream_tokens: true },
      stainlessHeaders,
      /stream_tokens: can only/,
    ],
  ])('[rest.errors] refuses %s with 422', async (_what, body, headers, detail) => {
    const agentId = await anAgent();

    expect(await server.call('POST', `/v1/agents/${agentId}/messages`, { body, headers })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it('[rest.messages] accepts plain input and images', async () => {
    const agentId = await anAgent();
    const input = [
      { type: 'text', text: 'Look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ];
    await server.call('POST', `/v1/agents/${agentId}/messages/async`, { body: { input } });
    await beginTurn(server.db, await firstTurn(agentId));

    expect((await server.call('GET', `/v1/agents/${agentId}/messages`)).body).toMatchObject([
      { message_type: 'system_message' },
      { message_type: 'user_message', content: input },
    ]);
  });

  it('[rest.runs] names the run or step that was not found', async () => {
    const none = '00000000-0000-4000-8000-000000000000';

    expect(await server.call('GET', `/v1/runs/run-${none}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Run with ID .* not found/) },
    });
    expect(await server.call('GET', `/v1/steps/step-${none}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Step with ID .* not found/) },
    });
    expect(await server.call('GET', '/v1/runs/nope')).toMatchObject({ status: 422 });
  });
});

describe('a connection that ends early', () => {
  it('[rest.resume-stream] [rest.other-server] is resumed on another server where it was cut', async () => {
    const server = await startTestServer();
    await server.app.listen({ port: 0 });
    const { port } = server.app.server.address() as AddressInfo;
    const peer = server.startPeer();
    const agent = await server.anAgent();
    const dropping = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/v1/agents/${agent.id}/messages/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...greeting, stream_tokens: true }),
      signal: dropping.signal,
    });
    const [turn] = await listTurns(server.db, { agentIds: [agent.id] }, {});
    const turnId = turn!.id;
    const messageId = answerId();
    const fragment = (text: string): TurnEvent => ({
      kind: 'delta',
      stepId: 'step-1',
      attempt: 1,
      messageId,
      delta: { kind: 'tool_call', index: 0, id: 'c1', name: 'send_message', arguments: text },
    });
    await beginTurn(server.db, turnId);
    await logEvents(server.db, turnId, fragment('{"message":"One '), fragment('two '));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes('two ')) seen += (await reader.read()).value ?? '';
    dropping.abort();

    const resumed = peer.app.inject({
      method: 'POST',
      url: `/v1/runs/${turnId}/stream`,
      payload: { starting_after: parseSse(seen).at(-1)!.data.seq_id },
    });
    await logEvents(server.db, turnId, fragment('three"}'));
    await say(server.db, turnId, { id: messageId, body: speech('One two three'), streamed: true });
    await endTurn(server.db, turnId);

    expect(parseSse((await resumed).body).map(({ data }) => data)).toMatchObject([
      { message_type: 'assistant_message', content: 'three', id: messageId },
      { message_type: 'stop_reason' },
      { message_type: 'usage_statistics' },
      done,
    ]);
    await server.close();
  });

  it('does not affect the turn, and an open stream does not delay closing', async () => {
    const server = await startTestServer({ settings: { keepAliveMs: 20 } });
    await server.app.listen({ port: 0 });
    const { port } = server.app.server.address() as AddressInfo;
    const agent = await server.anAgent();
    const post = (signal: AbortSignal): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/v1/agents/${agent.id}/messages/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...stainlessHeaders },
        body: JSON.stringify(greeting),
        signal,
      });

    const leaving = new AbortController();
    const left = await post(leaving.signal);
    await left.body!.getReader().read();
    leaving.abort();
    const staying = await post(new AbortController().signal);
    const reader = staying.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { value: first } = await reader.read();
    expect(first).toContain('"message_type":"ping"');

    const turns = await listTurns(server.db, { agentIds: [agent.id] }, {});
    expect(turns.map((turn) => turn.state)).toEqual(['created', 'created']);
    // These turns never end: closing must not wait for them or for the stream.
    await server.close();
    let rest = '';
    for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
      rest += part.value;
    }
    expect(rest).not.toContain('[DONE]');
  });
});
